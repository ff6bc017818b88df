import { EXIT, misused } from '@deckhand/terminal';
import { Command } from 'commander';
import { readFile, writeFile } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { take } from '../take.ts';
import { writeTypes } from '../types/write-types.ts';

interface TypesOptions {
  readonly out: string;
  readonly check?: boolean;
}

/** Number of workflows that are read at a time. */
const AT_A_TIME = 8;

/** Creates `types`, which writes TypeScript types of the inputs and results of workflows. */
export function typesCommand(context: Context): Command {
  return new Command('types')
    .summary('write TypeScript types of the inputs and results of workflows')
    .description(
      'Reads the JSON Schemas in the manual trigger and the End nodes of the latest version of each workflow, and writes a ' +
        'TypeScript file. Where a program includes it, workflows.execute and executeBatch of @deckhand/sdk take the input of the ' +
        'workflow that is started, and result() returns its result. Workflows are named by their slugs, so the file is the same ' +
        'for each workspace that has them; one without a slug is named by its id. Workflows without a schema take any object.',
    )
    .argument('[workflow...]', 'ids, exact names or slugs; all workflows of the workspace by default')
    .option('--out <file>', 'the file to write', 'deckhand-workflows.ts')
    .option('--check', 'write nothing, and exit with 1 if the file is not up to date: for CI')
    .action((names: readonly string[], options: TypesOptions) => types(context, names, options));
}

async function types({ output, ...context }: Context, names: readonly string[], options: TypesOptions): Promise<void> {
  const { out, check = false } = options;
  const connection = await context.connect();
  const ids =
    names.length > 0
      ? await Promise.all(names.map((name) => connection.workflowId(name)))
      : (await take(connection.deckhand.workflows.list({ workspaceId: await connection.workspaceId() }))).map(
          ({ id }) => id,
        );
  const distinct = [...new Set(ids.map((id) => id.toLowerCase()))];
  const workflows = [];
  for (let start = 0; start < distinct.length; start += AT_A_TIME) {
    const some = distinct.slice(start, start + AT_A_TIME);
    workflows.push(...(await Promise.all(some.map((id) => connection.deckhand.workflows.get(id)))));
  }
  const content = writeTypes(workflows);
  const isCurrent = content === (await readFile(out, 'utf8').catch(() => undefined));
  if (check && !isCurrent) process.exitCode = EXIT.failed;
  if (!check && !isCurrent) {
    await writeFile(out, content).catch((error: unknown) => {
      throw misused(`${out} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  output.result({ file: out, workflows: workflows.length, isCurrent: isCurrent || !check }, () => {
    if (isCurrent) return [`${out} is up to date.`];
    return [check ? `${out} is not up to date: run "deckhand types".` : `Wrote ${out}: ${workflows.length} workflows.`];
  });
}
