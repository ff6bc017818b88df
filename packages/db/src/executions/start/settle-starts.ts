import type { ValidationIssues, WorkflowConcurrency } from '@deckhand/contracts';
import type { InvalidInput, RateLimited, RunCount, StartRequest } from './start-request.ts';

/*
 * A statement that starts runs checks everything that the database knows, and writes the runs that nothing refuses.
 * Three things it cannot decide: whether the input fits the schema of its trigger; the key by which a workflow limits
 * its runs, an expression of its author; and the limit of runs per minute, which is counted in Redis. Most runs need
 * none of them, so the statement is tried first. Runs that do are written by a second attempt.
 */

/** What decides about starts outside of the database. */
export interface StartLimits {
  /** Checks trigger data against the schema that its trigger enforces. @returns no issues if it fits. */
  readonly checkInput: (triggerData: string, input: EnforcedInput) => Promise<ValidationIssues>;
  /** Returns the options of a run with the limit by a key that its workflow has. */
  readonly addKey: AddWorkflowKey;
  /** Counts a run towards the limit of runs per minute of its workspace. */
  readonly count: (workspaceId: string, executionsPerMinute: number) => Promise<RunCount>;
}

/** Returns the options of a request that its workflow limits. */
export type AddWorkflowKey = (
  request: Pick<StartRequest, 'options' | 'triggerData'>,
  concurrency: WorkflowConcurrency,
) => string | Promise<string>;

/** A request as the statements get it. */
export type Counted<Request> = Request & {
  /** The workspace's limit of runs per minute when this run was counted; undefined if it was not counted yet. */
  readonly countedUnder?: number;
  /** The version whose schema its input fits; undefined if that was not checked. */
  readonly checkedVersionId?: string | undefined;
};

/** A schema that a trigger of a version enforces. */
export interface EnforcedInput {
  readonly workspaceId: string;
  readonly workflowVersionId: string;
  readonly triggerNodeId: string;
  /** Serialised `InputSchema`. */
  readonly inputSchema: string;
}

/** The trigger enforces a schema, and the input was not checked against it. */
export interface NeedsCheck extends EnforcedInput {
  readonly kind: 'needsCheck';
}

/** The workspace has a limit of runs per minute, under which the run was not counted. */
export interface NotCounted {
  readonly kind: 'notCounted';
  readonly workspaceId: string;
  readonly executionsPerMinute: number;
}

/** The workflow limits its runs, and the request has no limit of its own. */
export interface NeedsKey {
  readonly kind: 'needsKey';
  readonly concurrency: WorkflowConcurrency;
}

/** Verdicts after which a request is tried again. They are known to statements and `settleStarts` only. */
export type Unsettled = NotCounted | NeedsKey | NeedsCheck;

/** Whether the request has to be tried again. */
export function isUnsettled(verdict: { readonly kind: string }): verdict is Unsettled {
  return verdict.kind === 'notCounted' || verdict.kind === 'needsKey' || verdict.kind === 'needsCheck';
}

/** What is limited of a request. */
type Limited = Pick<StartRequest, 'executionId' | 'options' | 'triggerData'> & { readonly source?: string };

/** A start, and what else its source writes with it. `request` is null if it starts no run. */
interface Start {
  readonly request: Counted<Limited> | null;
}

/** The final verdict on a start. */
export type Settled<V> = (V & { readonly counted?: RunCount }) | RateLimited | InvalidInput;

/** For how long one attempt finds keys, in ms, for sources that leave others to a later call. */
const MAX_KEYS_MS = 1_000;

interface SettleOptions<V> {
  readonly findLanded?: (ids: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;
  readonly later?: V;
}

/**
 * Writes starts, and those again whose check, key or count was missing, until each has a final verdict. A run is
 * counted once, after nothing else refuses it, or again if its limit has changed meanwhile.
 * @param write returns a verdict for each of the given starts, in their order.
 * @param options.findLanded returns the ids whose runs an earlier attempt has written: these are not counted again.
 * Sources that start the same runs again after the death of a process need it.
 * @param options.later the verdict on starts whose keys would take longer than `MAX_KEYS_MS` to find in one attempt.
 * @returns a verdict for each start, in their order.
 */
export async function settleStarts<S extends Start, V extends { readonly kind: string }>(
  starts: readonly S[],
  write: (starts: readonly S[]) => Promise<readonly (V | Unsettled)[]>,
  { checkInput, addKey, count }: StartLimits,
  { findLanded, later }: SettleOptions<V> = {},
): Promise<Settled<V>[]> {
  const settled: Settled<V>[] = [];
  /** Workspaces whose limit is reached: no more of their runs are counted. */
  const beyond = new Map<string, RunCount>();

  async function countOnce({ workspaceId, executionsPerMinute }: NotCounted): Promise<RunCount> {
    const counted = beyond.get(workspaceId) ?? (await count(workspaceId, executionsPerMinute));
    if (counted.isBeyond) beyond.set(workspaceId, counted);
    return counted;
  }

  let left = starts.map((start, index): Attempt<S> => ({ start, index }));
  while (left.length > 0) {
    const verdicts = await write(left.map(({ start }) => start));
    const uncounted = left.filter((_, at) => verdicts[at]?.kind === 'notCounted');
    const landed = uncounted.length === 0 ? undefined : await findLanded?.(uncounted.map(({ start }) => idOf(start)));
    const until = performance.now() + MAX_KEYS_MS;
    const again: Attempt<S>[] = [];
    for (const [at, { start, index, counted }] of left.entries()) {
      const verdict = verdicts[at];
      if (verdict === undefined) throw new Error('a start has no verdict');
      if (!isUnsettled(verdict)) {
        settled[index] = counted ? { ...verdict, counted } : verdict;
      } else if (verdict.kind === 'needsCheck') {
        const { issues, isTruncated } = await checkInput(start.request?.triggerData ?? '{}', verdict);
        if (issues.length > 0) settled[index] = { kind: 'invalidInput', issues, isTruncated };
        else
          again.push({
            start: change(start, { checkedVersionId: verdict.workflowVersionId }),
            index,
            ...(counted && { counted }),
          });
      } else if (verdict.kind === 'needsKey' && later && again.length > 0 && performance.now() >= until) {
        // One at least is tried again, so that repeated calls come to an end.
        settled[index] = later;
      } else if (verdict.kind === 'needsKey') {
        again.push({ start: await withKey(start, verdict), index, ...(counted && { counted }) });
      } else if (landed?.has(idOf(start)) === true) {
        again.push({ start: change(start, { countedUnder: verdict.executionsPerMinute }), index });
      } else {
        const now = await countOnce(verdict);
        if (now.isBeyond) settled[index] = { kind: 'rateLimited', count: now };
        else again.push({ start: change(start, { countedUnder: verdict.executionsPerMinute }), index, counted: now });
      }
    }
    left = again;
  }
  return settled;

  async function withKey(start: S, { concurrency }: NeedsKey): Promise<S> {
    const { request } = start;
    if (!request) return start;
    // Someone wants a rerun: it waits for its turn.
    const limit = request.source === 'rerun' ? { ...concurrency, onLimit: 'queue' as const } : concurrency;
    return change(start, { options: await addKey(request, limit) });
  }
}

/** Writes one start in the same way. @param write returns the verdict on the request. */
export async function settleStart<R extends Limited, V extends { readonly kind: string }>(
  request: R,
  write: (request: Counted<R>) => Promise<V | Unsettled>,
  limits: StartLimits,
): Promise<Settled<V>> {
  const start: { readonly request: Counted<R> } = { request };
  const [settled] = await settleStarts<typeof start, V>(
    [start],
    (starts) => Promise.all(starts.map((each) => write(each.request))),
    limits,
  );
  if (!settled) throw new Error('a start has no verdict');
  return settled;
}

/** A start that has no final verdict yet. */
interface Attempt<S> {
  readonly start: S;
  readonly index: number;
  /** The count under which it is tried again. */
  readonly counted?: RunCount;
}

function idOf({ request }: Start): string {
  return request?.executionId ?? '';
}

function change<S extends Start>(
  start: S,
  changes: Pick<Counted<Limited>, 'options' | 'countedUnder' | 'checkedVersionId'>,
): S {
  return start.request ? { ...start, request: { ...start.request, ...changes } } : start;
}
