import { DeckhandError } from '@deckhand/sdk';
import {
  type ExecutionResponse,
  type ExecutionStatus,
  getNodeDebug,
  getNodeOutput,
  rerunExecution,
} from '@deckhand/sdk/operations';
import { fields, oneOfEach, several, table, timeLimit, timeSpan, toJson } from '@deckhand/terminal';
import { Command } from 'commander';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { endOf, findDefinition, followRun, type FollowOptions } from '../following/follow.ts';
import { details, inOrder, nodeRows } from '../following/rows.ts';
import { type Amount, pageSize, takeAmount, withAmount } from '../take.ts';
import { elapsedText, statusText, timeText } from '../format.ts';
import { openInBrowser } from '../open-in-browser.ts';

interface ListOptions extends Amount {
  readonly workflow?: string;
  readonly status?: readonly ExecutionStatus[];
  readonly since?: number;
  readonly tag?: readonly string[];
  readonly search?: string;
}

interface LogsOptions {
  readonly node?: string;
  readonly iteration?: string;
}

interface RerunOptions extends FollowOptions {
  readonly fromNode?: string;
  readonly untilNode?: string;
  readonly failedIterations?: boolean;
  readonly workflowVersion?: string;
  readonly follow?: boolean;
}

const STATUSES = [
  'pending',
  'running',
  'paused',
  'waiting_for_input',
  'waiting_for_human',
  'success',
  'failed',
  'timeout',
  'stopped',
] as const satisfies readonly ExecutionStatus[];

const RUN_ID = 'the id of the run';
const FOLLOW_LIMIT = 'stop following after this time; the run continues';

/** Creates `runs`, which reads runs and acts on them. */
export function runsCommand(context: Context): Command {
  const { output } = context;
  return new Command('runs')
    .summary('list, read, follow, stop and rerun runs')
    .addCommand(
      withAmount(
        new Command('list')
          .summary('runs of a workspace, the newest first')
          .option('--workflow <workflow>', 'only runs of a workflow, by its id, exact name or slug')
          .option('--status <status>', 'only runs with a status; may be given several times', oneOfEach(STATUSES))
          .option('--since <span>', 'only runs that started in the last 90s, 30m, 12h or 7d', timeSpan)
          .option('--tag <tag>', 'only runs with a tag; may be given several times', several)
          .option('--search <text>', 'only runs with a text in their data, outputs, errors or ids'),
        20,
      ).action((options: ListOptions) => listRuns(context, options)),
    )
    .addCommand(
      new Command('get')
        .summary('the state of a run, node by node')
        .argument('<run>', RUN_ID)
        .action(async (id: string) => {
          const connection = await context.connect();
          const execution = await connection.deckhand.runs.of(id).get({ slim: !output.isJson });
          const definition = output.isJson ? undefined : await findDefinition(connection, execution);
          output.result(execution, () => [
            ...describe(execution),
            '',
            ...nodeRows(execution, definition, Date.now()),
            '',
            ...endOf(execution, execution.result),
          ]);
        }),
    )
    .addCommand(
      new Command('logs')
        .summary('what the nodes of a run did, in order, or the output of one')
        .description(
          'Prints a line for each node that ran, with its time and its error, and for runs in the mode debug what their scripts ' +
            'wrote to the console. With --node, prints the output of this node as JSON.',
        )
        .argument('<run>', RUN_ID)
        .option('--node <node>', 'print the output of a node, by its id')
        .option(
          '--iteration <number>',
          'with --node: the iteration of the loop that the node is in; the last by default',
        )
        .action((id: string, options: LogsOptions) => printLogs(context, id, options)),
    )
    .addCommand(
      new Command('follow')
        .summary('follow a run to its end, as "run --follow" does')
        .argument('<run>', RUN_ID)
        .option('--timeout <seconds>', FOLLOW_LIMIT, timeLimit)
        .action(async (id: string, options: FollowOptions) => {
          const connection = await context.connect();
          await followRun(context, connection, connection.deckhand.runs.of(id), options);
        }),
    )
    .addCommand(
      new Command('stop')
        .summary('stop runs: nodes in progress are interrupted')
        .argument('<run...>', 'the ids of the runs')
        .action(async (ids: readonly string[]) => {
          const { deckhand } = await context.connect();
          for (const id of ids) {
            await deckhand.runs.of(id).stop();
            output.entry({ executionId: id, status: 'stopped' }, () => `Stopped run ${id}.`);
          }
        }),
    )
    .addCommand(
      new Command('rerun')
        .summary('start a new run with the trigger data of a finished one')
        .argument('<run>', RUN_ID)
        .option('--from-node <node>', 'start at a node, with the outputs of the nodes before it')
        .option('--until-node <node>', 'end after a node, in the mode test')
        .option('--failed-iterations', 'of loops, run the failed iterations alone')
        .option('--workflow-version <version>', 'latest (the default), active, original, or the id of a version')
        .option('-f, --follow', 'follow the new run to its end')
        .option('--timeout <seconds>', `with --follow: ${FOLLOW_LIMIT}`, timeLimit)
        .action((id: string, options: RerunOptions) => rerun(context, id, options)),
    )
    .addCommand(
      new Command('open')
        .summary('open a run in the console, in the browser')
        .argument('<run>', RUN_ID)
        .option('--print', 'print the address instead')
        .action(async (id: string, { print }: { print?: boolean }) => {
          const { deckhand, url } = await context.connect();
          const { workspaceId, executionId } = await deckhand.runs.of(id).get({ slim: true });
          const address = `${url}/w/${encodeURIComponent(workspaceId)}/runs/${encodeURIComponent(executionId)}`;
          output.result({ url: address }, () => [address]);
          if (!print && !output.isJson) await openInBrowser(address);
        }),
    );
}

async function listRuns({ output, ...context }: Context, options: ListOptions): Promise<void> {
  const connection = await context.connect();
  const { workflow, status, since, tag, search } = options;
  const found = connection.deckhand.runs.list({
    workspaceId: await connection.workspaceId(),
    limit: pageSize(options),
    progress: 'counts',
    ...(workflow !== undefined && { workflowId: await connection.workflowId(workflow) }),
    ...(status !== undefined && { status: [...status] }),
    ...(since !== undefined && { startedAt: { gte: new Date(Date.now() - since).toISOString() } }),
    ...(tag !== undefined && { tag: [...tag] }),
    ...(search !== undefined && { search }),
  });
  const entries = await takeAmount(found, options, output);
  const now = Date.now();
  output.result(entries, () =>
    table(
      ['run', 'status', 'workflow', 'source', 'started', 'took', 'error'],
      entries.map((entry) => [
        entry.executionId,
        statusText(entry.status),
        entry.workflowName ?? entry.workflowId,
        entry.source,
        timeText(entry.startedAt ?? entry.createdAt),
        elapsedText(entry.startedAt, entry.finishedAt, now),
        entry.error?.message ?? '',
      ]),
      'No run matches.',
    ),
  );
}

function describe(execution: ExecutionResponse): ReturnType<typeof fields> {
  const { tags, metadata, rerunOf, expiresAt, startAt } = execution;
  return fields([
    ['run', execution.executionId],
    ['workflow', `${execution.workflowName ?? '–'} (${execution.workflowId})`],
    ['version', execution.workflowVersionId],
    ['mode', execution.executionMode],
    ['source', execution.source],
    ['created', timeText(execution.createdAt)],
    ['starts', startAt === null ? null : timeText(startAt)],
    ['expires', expiresAt === null ? null : timeText(expiresAt)],
    ['started', timeText(execution.startedAt)],
    ['finished', timeText(execution.finishedAt)],
    ['rerun of', rerunOf],
    ['tags', tags.length === 0 ? null : tags.join(', ')],
    ['metadata', Object.keys(metadata).length === 0 ? null : toJson(metadata)],
  ]);
}

async function printLogs(context: Context, id: string, { node, iteration }: LogsOptions): Promise<void> {
  const { output } = context;
  const connection = await context.connect();
  const { client } = connection.deckhand;
  if (node !== undefined) {
    const query = iteration === undefined ? {} : { iteration };
    const { data } = await getNodeOutput({ client, path: { id, nodeId: node }, query, throwOnError: true });
    output.json(output.isJson ? data : data.output);
    return;
  }
  const execution = await connection.deckhand.runs.of(id).get({ slim: true });
  const definition = await findDefinition(connection, execution);
  for (const [nodeId, progress] of inOrder(execution, definition)) {
    if (progress.startedAt === null) continue;
    const lines = execution.executionMode === 'debug' ? await consoleOf(connection, id, nodeId) : [];
    output.entry({ nodeId, ...progress, console: lines }, () => [
      { text: `${timeText(progress.startedAt)}  `, style: 'dim' },
      statusText(progress.status),
      `  ${nodeId}`,
      ...details({ ...progress, status: 'success' }, Date.now()),
    ]);
    if (!output.isJson) for (const line of lines) output.entry(line, () => `    ${line}`);
  }
}

/** Returns what the script of a node wrote to the console; nothing if it is not kept. */
async function consoleOf({ deckhand: { client } }: Connection, id: string, nodeId: string): Promise<string[]> {
  try {
    const { data } = await getNodeDebug({ client, path: { id, nodeId }, throwOnError: true });
    if (!Array.isArray(data.console)) return [];
    return data.console.map((line) => (typeof line === 'string' ? line : toJson(line)));
  } catch (error) {
    if (error instanceof DeckhandError && error.status === 404) return [];
    throw error;
  }
}

async function rerun(context: Context, id: string, options: RerunOptions): Promise<void> {
  const connection = await context.connect();
  const { fromNode, untilNode, failedIterations, workflowVersion } = options;
  const { data } = await rerunExecution({
    client: connection.deckhand.client,
    path: { id },
    body: {
      ...(fromNode !== undefined && { fromNodeId: fromNode }),
      ...(untilNode !== undefined && { untilNodeId: untilNode }),
      ...(failedIterations === true && { iterations: 'failed' as const }),
      ...(workflowVersion !== undefined && { version: workflowVersion }),
    },
    throwOnError: true,
  });
  const { executionId, warning } = data;
  if (warning !== undefined) context.output.message({ text: warning, style: 'yellow' });
  if (options.follow) {
    return followRun(context, connection, connection.deckhand.runs.of(executionId), options);
  }
  context.output.result({ executionId, warning }, () => [executionId]);
}
