import { type ExecutionStatus, listExecutions, type PartialExecutionEntry } from '@deckhand/sdk/operations';
import { EXIT, type Text } from '@deckhand/terminal';
import { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { describeError } from '../describe-error.ts';
import { untilInterrupted } from '../following/interrupt.ts';
import { elapsedText, statusText, timeText } from '../format.ts';

interface TailOptions {
  readonly workflow?: string;
}

/** A run as `tail` shows it. */
interface Entry extends PartialExecutionEntry {
  readonly executionId: string;
  readonly status: ExecutionStatus;
  readonly createdAt: string;
}

const POLL_MS = 1_000;
/** Number of runs that one request reads. */
const PAGE = 100;
/** Number of runs whose status is remembered. */
const MAX_KNOWN = 10_000;
const FINISHED: ExecutionStatus[] = ['success', 'failed', 'timeout', 'stopped'];
const FIELDS = [
  'executionId',
  'status',
  'workflowId',
  'workflowName',
  'source',
  'createdAt',
  'startedAt',
  'finishedAt',
  'error',
] as const;

/** Creates `tail`, which shows runs as they start and end. */
export function tailCommand(context: Context): Command {
  return new Command('tail')
    .summary('show runs as they start and end, until Ctrl+C')
    .description('Prints a line for each change of a run; with --json, the run as a line of NDJSON.')
    .option('--workflow <workflow>', 'only runs of a workflow, by its id, exact name or slug')
    .action((options: TailOptions) => untilInterrupted('Runs continue.', (signal) => tail(context, options, signal)));
}

async function tail({ output, ...context }: Context, { workflow }: TailOptions, signal: AbortSignal): Promise<void> {
  const connection = await context.connect();
  const filter = {
    workspaceId: await connection.workspaceId(),
    ...(workflow !== undefined && { workflowId: await connection.workflowId(workflow) }),
  };
  const known = new Map<string, ExecutionStatus>();
  let isFirst = true;
  for (;;) {
    const { entries, isFull } = await readChanges(connection, filter, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      const { exitCode, message } = describeError(error);
      // What changes meanwhile is shown later.
      if (isFirst || exitCode !== EXIT.unavailable) throw error;
      output.message({ text: `${message} Trying again.`, style: 'yellow' });
      return { entries: [], isFull: false };
    });
    const changed = entries.filter(({ executionId, status }) => known.get(executionId) !== status);
    if (!isFirst && isFull && changed.length >= PAGE) output.message('More runs started or ended than are shown.');
    for (const entry of changed) {
      known.delete(entry.executionId);
      known.set(entry.executionId, entry.status);
      if (!isFirst) output.entry(entry, () => lineOf(entry));
    }
    if (isFirst) output.message('Waiting for runs …');
    isFirst = false;
    for (const id of known.keys()) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(id);
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Reads the runs that were created last and those that ended last, the oldest change first. */
async function readChanges(
  { deckhand: { client } }: Connection,
  filter: { readonly workspaceId: string; readonly workflowId?: string },
  signal: AbortSignal,
): Promise<{ readonly entries: readonly Entry[]; readonly isFull: boolean }> {
  const read = async (query: { readonly sortBy: 'createdAt' | 'finishedAt'; readonly status?: ExecutionStatus[] }) => {
    const { data } = await listExecutions({
      client,
      query: { ...filter, ...query, fields: [...FIELDS], limit: PAGE },
      signal,
      throwOnError: true,
    });
    return data;
  };
  const [created, ended] = await Promise.all([
    read({ sortBy: 'createdAt' }),
    read({ sortBy: 'finishedAt', status: FINISHED }),
  ]);
  const byId = new Map<string, Entry>();
  // What ended is the later state of a run that both have.
  for (const entry of [...created.data, ...ended.data]) if (isEntry(entry)) byId.set(entry.executionId, entry);
  const entries = [...byId.values()].sort((one, other) => changedAt(one).localeCompare(changedAt(other)));
  return { entries, isFull: created.hasMore || ended.hasMore };
}

function isEntry(entry: PartialExecutionEntry): entry is Entry {
  return entry.executionId !== undefined && entry.status !== undefined && entry.createdAt !== undefined;
}

function changedAt({ createdAt, startedAt, finishedAt }: Entry): string {
  return finishedAt ?? startedAt ?? createdAt;
}

function lineOf(entry: Entry): Text {
  const { executionId, status, workflowName, startedAt = null, finishedAt = null, error } = entry;
  return [
    { text: `${timeText(changedAt(entry))}  `, style: 'dim' },
    `${executionId}  `,
    statusText(status),
    `  ${workflowName ?? entry.workflowId ?? '–'}`,
    { text: finishedAt === null ? '' : `  ${elapsedText(startedAt, finishedAt, Date.now())}`, style: 'dim' },
    { text: error ? `  ${error.message}` : '', style: 'red' },
  ];
}
