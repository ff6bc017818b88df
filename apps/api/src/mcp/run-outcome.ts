import {
  type ApprovalEntry,
  DeckhandError,
  type EntryView,
  type Execution,
  type ExecutionStatus,
  isFinished,
  parseOwnJson,
} from '@deckhand/contracts';
import { listApprovals } from '@deckhand/db';
import { requireScope } from '../auth/authenticate.ts';
import { whileAllowed } from '../auth/while-allowed.ts';
import { isSettled, waitForRun } from '../runs/wait-for-run.ts';
import type { ToolCall } from './tool.ts';

/** How long a call waits for a run at most, in seconds. Many clients give up after 60. */
export const MAX_WAIT_SECONDS = 50;
/** A longer result, in characters, is left out. */
const MAX_INLINE_RESULT = 65_536;
/** Open approvals of a run that an outcome shows. */
const MAX_APPROVALS = 10;

/** How a run stands. */
export interface RunOutcome {
  readonly executionId: string;
  readonly status: ExecutionStatus;
  readonly result?: unknown;
  readonly resultOmitted?: true;
  readonly error?: Execution['error'];
  /** The approvals that it waits for and the caller may answer, if the key may read them. */
  readonly approvals?: readonly ApprovalEntry[];
  /** What to do next. */
  readonly next?: string;
}

/**
 * Waits until a run is finished or waits for a person, or the time is up, and returns how it stands.
 * @throws DeckhandError NOT_FOUND for a run that the caller may not see; RATE_LIMITED.
 */
export async function awaitOutcome(call: ToolCall, executionId: string, waitSeconds: number): Promise<RunOutcome> {
  const { runs, caller, request, signal } = call;
  requireScope(caller, { scope: 'executions:read' });
  const before = await runs.executions.state(caller, executionId);
  if (isSettled(before.status) || waitSeconds <= 0) return readOutcome(call, executionId, before.workspaceId);
  const timeoutMs = waitSeconds * 1_000;
  const check = () => runs.authenticate.key(request);
  await whileAllowed({ check, signal }, (ended) =>
    waitForRun(runs, executionId, before, ({ status }) => isSettled(status), { timeoutMs, signal: ended }),
  );
  // The caller's access may have changed since the last check.
  const reader = await check();
  requireScope(reader, { scope: 'executions:read' });
  return readOutcome({ ...call, caller: reader }, executionId, before.workspaceId);
}

async function readOutcome(call: ToolCall, executionId: string, workspaceId: string): Promise<RunOutcome> {
  const { runs, caller } = call;
  const view: EntryView = { fields: ['status', 'error'], progress: 'nodes' };
  const [entry] = await runs.executions.readEntries(caller, [executionId], view, runs.db);
  if (!entry) throw new DeckhandError('NOT_FOUND', { message: 'No such run' });
  const { status, error } = parseOwnJson<Pick<Execution, 'status' | 'error'>>(entry.json);
  if (status === 'success') return { executionId, status, ...(await readResult(call, executionId)) };
  if (isFinished(status)) return { executionId, status, error };
  return { executionId, status, ...(await describeWait(call, { executionId, status, workspaceId })) };
}

async function readResult({ runs, caller }: ToolCall, executionId: string): Promise<Partial<RunOutcome>> {
  const text = await runs.executions.readResult(caller, executionId);
  // What its Terminal node set, without status and headers, which are for webhooks.
  if (text.length <= MAX_INLINE_RESULT) return { result: parseOwnJson<{ body: unknown } | null>(text)?.body ?? null };
  return { resultOmitted: true, next: 'Read the output of its Terminal node with deckhand_get_node_output' };
}

async function describeWait(
  call: ToolCall,
  { executionId, status, workspaceId }: { executionId: string; status: ExecutionStatus; workspaceId: string },
): Promise<Partial<RunOutcome>> {
  if (status === 'waiting_for_input') {
    const approvals = await openApprovals(call, executionId, workspaceId);
    const next =
      approvals.length > 0
        ? 'A person has to decide: see approvals, and submit the decision with deckhand_submit_approval'
        : 'Another person has to decide, in the console';
    return { approvals, next };
  }
  if (status === 'waiting_for_human') return { next: 'A person has to fill in a form, in the console' };
  if (status === 'paused') return { next: 'A person has paused it' };
  return { next: 'Not finished yet: call deckhand_wait_for_run with its executionId' };
}

/**
 * Returns the open approvals of a run that the caller may answer: others are asked elsewhere. None if the key may not
 * read them.
 */
export async function openApprovals(
  { runs, caller, may }: ToolCall,
  executionId: string,
  workspaceId: string,
): Promise<readonly ApprovalEntry[]> {
  if (!may('approvals:read')) return [];
  const page = { limit: MAX_APPROVALS, offset: 0, includeTotal: false };
  return (await listApprovals(runs.db, caller, { ...page, workspaceId, executionId, canAnswer: true })).data;
}
