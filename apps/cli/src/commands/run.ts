import { misused, readJson, several, timeLimit } from '@deckhand/terminal';
import { Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { followRun, type FollowOptions } from '../following/follow.ts';
import { isObject } from '../json.ts';

interface RunOptions extends FollowOptions {
  readonly input?: string;
  readonly follow?: boolean;
  readonly mode?: 'normal' | 'test' | 'debug' | 'sandbox';
  readonly trigger?: string;
  readonly workflowVersion?: string;
  readonly tag?: readonly string[];
  readonly idempotencyKey?: string;
}

/** Creates `run`, which starts a workflow. */
export function runCommand(context: Context): Command {
  return new Command('run')
    .summary('start a workflow, and follow its run')
    .description(
      'Starts a run and prints its id. With --follow, shows its nodes until the run ends, prints the result, and exits with 0 ' +
        'for success, 10 for failed, 11 for timeout and 12 for stopped. Ctrl+C stops following, and not the run.',
    )
    .argument('<workflow>', 'its id, exact name or slug')
    .option(
      '--input <json>',
      'the trigger data: a JSON object, the path of a file with one, or - for the standard input',
    )
    .option('-f, --follow', 'follow the run to its end')
    .option('--timeout <seconds>', 'with --follow: stop following after this time; the run continues', timeLimit)
    .addOption(new Option('--mode <mode>', 'how it runs').choices(['normal', 'test', 'debug', 'sandbox']))
    .option('--trigger <node>', 'the id of the trigger to start from, if there are several')
    .option('--workflow-version <version>', 'latest (the default), active, or the id of a version')
    .option('--tag <tag>', 'a tag of the run; may be given several times', several)
    .option('--idempotency-key <key>', 'start one run, however often the command is repeated with this key')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        `  deckhand run Refund --input '{"amount":120}' --follow\n` +
        '  deckhand run Refund --input order.json --tag nightly',
    )
    .action(async (workflow: string, options: RunOptions) => {
      const input = options.input === undefined ? undefined : await readJson(options.input, 'The input');
      if (input !== undefined && !isObject(input)) throw misused('The input must be a JSON object.');
      const connection = await context.connect();
      const { mode, trigger, workflowVersion: version, tag, idempotencyKey } = options;
      const run = await connection.deckhand.workflows.execute(await connection.workflowId(workflow), input, {
        ...(mode !== undefined && { executionMode: mode }),
        ...(trigger !== undefined && { triggerNodeId: trigger }),
        ...(version !== undefined && { version }),
        ...(tag !== undefined && { tags: [...tag] }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      if (run.warning !== undefined) context.output.message({ text: run.warning, style: 'yellow' });
      if (options.follow) return followRun(context, connection, run, options);
      const { id: executionId, warning } = run;
      context.output.result({ executionId, warning }, () => [executionId]);
    });
}
