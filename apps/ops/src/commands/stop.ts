import { findUnfinished, readDatabaseTime, recordOperation, stopRuns } from '@deckhand/db';
import { publishChanges, publishControl } from '@deckhand/queue';
import { confirm, printResult, showProgress } from '@deckhand/terminal';
import { Command } from 'commander';
import { hostname } from 'node:os';
import { withStores } from '../open-stores.ts';
import { EXAMPLES, printExamples } from '../runs/examples.ts';
import { addFilterOptions, type FilterOptions, toFilter } from '../runs/filter-options.ts';

interface StopOptions extends FilterOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Creates `stop`, which stops unfinished runs of the whole instance. */
export function stopCommand(): Command {
  const command = new Command('stop')
    .summary('stop unfinished runs of any workspace')
    .description(
      'Stops the matching unfinished runs, and those that they started, as the API does: nodes in progress are interrupted, and no ' +
        'further node starts. This cannot be undone. Runs are stopped in batches; if the command is interrupted, run it again. ' +
        'The audit log of each workspace contains the number of its runs that were stopped.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  npm run ops -- stop --workflow 019… --dry-run\n' +
        '  npm run ops -- stop --status pending --older-than 1d --yes\n' +
        '  npm run ops -- stop --workspace 019… --created-from 2026-11-21T09:00:00Z --created-to 2026-11-21T10:00:00Z',
    )
    .action(async ({ dryRun, yes, json, ...options }: StopOptions) => {
      const filterAt = toFilter(options);
      await withStores(async ({ db, redis }) => {
        const filter = filterAt(new Date(await readDatabaseTime(db)));
        const { total, examples } = await findUnfinished(db, filter, { examples: EXAMPLES });
        if (total > 0 && !json) await printExamples(db, examples);
        if (dryRun || total === 0) {
          printResult(json, { found: total, stopped: 0, examples }, () => [
            total === 0 ? 'No unfinished run matches.' : `${total} unfinished runs match; none was stopped.`,
          ]);
          return;
        }
        await confirm(`Stop ${total} runs, and those that they started?`, { yes });
        const progress = showProgress('stopping', total);
        const stopped = await stopRuns(db, filter, async (executionIds) => {
          await publishControl(redis, { type: 'stop', executionIds });
          await publishChanges(
            redis,
            executionIds.map((executionId) => ({ executionId, ended: 'stopped' })),
          );
          await recordOperation(db, { action: 'execution.stopMany', details: {}, host: hostname() }, executionIds);
          progress.advance(executionIds.length);
        });
        progress.stop('');
        printResult(json, { found: total, stopped, examples }, () => [`Stopped ${stopped} runs.`]);
      });
    });
  return addFilterOptions(command);
}
