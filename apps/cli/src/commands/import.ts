import {
  deleteImportReport,
  getImportReport,
  importN8nWorkflow,
  type ImportN8nWorkflowResponse,
} from '@deckhand/sdk/operations';
import { misused, readJson, table, type Text } from '@deckhand/terminal';
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { isObject } from '../json.ts';

interface ImportOptions {
  readonly name?: string;
  readonly dryRun?: boolean;
}

type Note = ImportN8nWorkflowResponse['notes'][number];
type Task = ImportN8nWorkflowResponse['tasks'][number];

/** Creates `import`, which makes drafts of workflows of other programs. */
export function importCommand(context: Context): Command {
  return new Command('import')
    .summary('create drafts from workflows of n8n')
    .addCommand(
      new Command('n8n')
        .summary('create a draft from the export of a workflow of n8n')
        .description(
          'Converts the nodes, and prints what you have to do: for manual ones, which are stubs that fail and have the original node in their script, and for those to review, which differ in what the message says. Exits with 0 also if some are manual. With --json, it prints what became of each node.',
        )
        .argument('<file>', 'a JSON file that n8n exported or copied; - for the standard input')
        .option('--name <name>', 'the name of the workflow; by default the one that it has in n8n')
        .option('--dry-run', 'create nothing; with --json, print the definition too')
        .action((file: string, options: ImportOptions) => importN8n(context, file, options)),
    )
    .addCommand(
      new Command('report')
        .summary('what is left to do since the import of a workflow')
        .description(
          'Prints the report that is kept with the workflow, without what its latest version has done. Exits with 0 also if something is left.',
        )
        .argument('<workflow>', 'its id, exact name or slug')
        .option('--dismiss', 'delete the report for all members of the workspace')
        .action((name: string, { dismiss }: { dismiss?: boolean }) => showReport(context, name, dismiss)),
    );
}

async function showReport({ output, ...context }: Context, name: string, isDismissed = false): Promise<void> {
  const connection = await context.connect();
  const { client } = connection.deckhand;
  const path = { id: await connection.workflowId(name) };
  if (isDismissed) {
    await deleteImportReport({ client, path, throwOnError: true });
    output.result({ dismissed: true }, () => ['The report was dismissed.']);
    return;
  }
  const { data } = await getImportReport({ client, path, throwOnError: true });
  const open = data.tasks.filter(({ done }) => !done);
  output.result(data, () => [
    ...table(
      ['result', 'what to do', 'nodes'],
      open.map(({ nodes, ...task }) => {
        const left = nodes.filter(({ done }) => !done);
        return rowOf({ ...task, nodes: left.map((node) => node.name) });
      }),
      'There is nothing to do.',
    ),
    ...data.remarks.map(toLine),
    ...(data.omittedTasks > 0 ? [`There was no room for ${data.omittedTasks} more tasks.`] : []),
    '',
    `${open.length} to do, ${data.tasks.length - open.length} done.`,
  ]);
}

function toLine(remark: string): Text {
  return { text: `The workflow ${remark}.`, style: 'yellow' };
}

async function importN8n({ output, ...context }: Context, file: string, options: ImportOptions): Promise<void> {
  const workflow = await readJson(file, 'The workflow');
  if (!isObject(workflow)) throw misused('The file has no workflow of n8n: an object with the list "nodes".');
  const connection = await context.connect();
  const { data } = await importN8nWorkflow({
    client: connection.deckhand.client,
    query: { dryRun: options.dryRun === true },
    body: {
      workspaceId: await connection.workspaceId(),
      workflow: { ...workflow },
      ...(options.name !== undefined && { name: options.name }),
    },
    throwOnError: true,
  });
  const { notes, tasks, remarks, name } = data;
  output.result(data, () => [
    ...table(['result', 'what to do', 'nodes'], tasks.map(rowOf), 'There is nothing to do.'),
    ...remarks.map(toLine),
    '',
    summaryOf(notes),
    'id' in data ? `Created the draft ${name} (${data.id}).` : `Nothing was created: ${name} was only checked.`,
  ]);
}

const STYLES = { review: 'yellow', manual: 'red' } as const;
/** Maximum number of nodes that a line names. */
const MAX_NAMED = 5;

function rowOf({ level, message, nodes }: Task): Text[] {
  const named = nodes.slice(0, MAX_NAMED).join(', ');
  const others = nodes.length - MAX_NAMED;
  return [{ text: level, style: STYLES[level] }, message, others > 0 ? `${named} and ${others} more` : named];
}

function summaryOf(notes: readonly Note[]): string {
  const count = (level: Note['level']): number => notes.filter((note) => note.level === level).length;
  return `${notes.length} nodes: ${count('converted')} converted, ${count('review')} to review, ${count('manual')} manual.`;
}
