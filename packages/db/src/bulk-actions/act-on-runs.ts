import {
  type BulkActionError,
  DeckhandError,
  type ErrorCode,
  parseOwnJson,
  serializeOptions,
} from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '../access.ts';
import { Prisma, type Queryable } from '../client.ts';
import { insertWithKeys } from '../executions/start/accept.ts';
import type { AcceptRefusal, AcceptRequest, AddWorkflowKey } from '../executions/start/admission.ts';
import { chooseVersion } from '../executions/start/chosen-version.ts';
import { describeUses, erasableState } from '../executions/end/erase.ts';
import { readManyForRerun, readWays, type StoredWay } from '../executions/start/read-for-rerun.ts';
import { stopRunsById } from '../executions/end/stop.ts';
import { LOCK_FREE_RUNS } from '../lock-order.ts';
import { pruneData, pruneRuns } from '../retention.ts';

/*
 * What a bulk action does to a batch of runs, in the transaction that settles them. Runs that are neither done nor
 * failed nor skipped stay unsettled, and a later batch tries them again.
 */

/** A running bulk action whose next batch is due. */
export interface DueBulkAction {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: 'stop' | 'rerun' | 'delete';
  readonly version: string | null;
  readonly fromFailedNode: boolean;
  readonly ratePerSecond: number | null;
  readonly createdBy: string;
  readonly apiKeyId: string | null;
  /** The workspace's limit of runs per minute. */
  readonly executionsPerMinute: number | null;
}

/** What a batch did. */
export interface BulkOutcome {
  /** Runs that were acted on. */
  readonly done: readonly string[];
  /** Runs that it could not act on. */
  readonly failed: readonly BulkActionError[];
  /** Runs that needed nothing. */
  readonly skipped: readonly BulkActionError[];
  /** The new runs, by a rerun. */
  readonly startedIds: readonly string[];
  /** Runs whose reruns only lack being counted under the limit of runs per minute. They stay unsettled. */
  readonly uncounted: readonly string[];
  /** The limit of the workspace that delays the rest. */
  readonly blockedBy?: ErrorCode | undefined;
}

/** Returns the entry of a run that a bulk action could not act on. */
export function toError(executionId: string, { code, message }: DeckhandError): BulkActionError {
  return { executionId, code, message };
}

const NOTHING = { done: [], failed: [], skipped: [], startedIds: [], uncounted: [] } as const;

const gone = (id: string) => toError(id, new DeckhandError('NOT_FOUND', { message: 'There is no such run' }));

/** Returns those of the ids that are runs of the workspace. */
async function findThose(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* bulk-actions.find-existing */
    SELECT e.id FROM executions e
    WHERE e.id = ANY (${[...ids]}::uuid[]) AND e.workspace_id = ${workspaceId}::uuid`);
  return new Set(rows.map(({ id }) => id));
}

/** Stops runs. Those that have ended by now need nothing. Maintenance stops the runs that they have started. */
export async function stopRuns(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<BulkOutcome> {
  const existing = await findThose(tx, workspaceId, ids);
  const done = await stopRunsById(tx, [...existing]);
  const stopped = new Set(done);
  const skipped = ids
    .filter((id) => !stopped.has(id))
    .map((id) =>
      existing.has(id) ? toError(id, new DeckhandError('INVALID_STATE', { message: 'The run is finished' })) : gone(id),
    );
  return { ...NOTHING, done, skipped };
}

/**
 * Deletes finished runs with all their data. Runs that are locked or being indexed at the moment stay unsettled, so
 * that this waits for no one.
 */
export async function deleteRuns(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<BulkOutcome> {
  const locked = await tx.$queryRaw<({ id: string } & Parameters<typeof describeUses>[0])[]>(
    Prisma.sql`/* bulk-actions.lock-erasable */
    SELECT e.id, ${erasableState} FROM executions e
    WHERE e.id = ANY (${[...ids]}::uuid[]) AND e.workspace_id = ${workspaceId}::uuid
    ${LOCK_FREE_RUNS}`,
  );
  const uses = locked.map(({ id, ...state }) => ({ id, reason: describeUses(state) }));
  const failed = uses.flatMap(({ id, reason }) =>
    reason === undefined ? [] : [toError(id, new DeckhandError('INVALID_STATE', { message: reason }))],
  );
  const erasable = uses.filter(({ reason }) => reason === undefined).map(({ id }) => id);
  await pruneData(tx, erasable);
  await pruneRuns(tx, erasable);
  const left = await findThose(tx, workspaceId, ids);
  const known = new Set(locked.map(({ id }) => id));
  const skipped = ids.filter((id) => !known.has(id) && !left.has(id)).map(gone);
  return { ...NOTHING, done: erasable.filter((id) => !left.has(id)), failed, skipped };
}

/** What reruns need to know of their workflows. */
export interface RerunChecks {
  readonly addKey: AddWorkflowKey;
  /** Returns whether a rerun from a node may come to that node in a version that is not that of the original run. */
  readonly mayReach: (rerun: {
    readonly fromNodeId: string;
    readonly triggerNodeId: string;
    readonly versionId: string;
    readonly sourceVersionId: string;
    readonly ways: readonly StoredWay[];
  }) => Promise<boolean>;
}

/**
 * Starts a new run for each finished run. Runs beyond a limit of the workspace stay unsettled.
 * @param countedUnder the limit of runs per minute under which they were counted; null if they were not.
 */
export async function rerunRuns(
  tx: Queryable,
  { action, countedUnder }: { action: DueBulkAction; countedUnder: number | null },
  actor: Actor,
  ids: readonly string[],
  { addKey, mayReach }: RerunChecks,
): Promise<BulkOutcome> {
  const failed = [];
  const skipped = [];
  const existing = await findThose(tx, action.workspaceId, ids);
  skipped.push(...ids.filter((id) => !existing.has(id)).map(gone));
  const nodes = action.fromFailedNode ? await readFailedNodes(tx, [...existing]) : new Map<string, string>();
  const sources = [...existing].map((id) => ({ executionId: id, fromNodeId: nodes.get(id) ?? null }));
  const version = action.version ?? 'latest';
  const origins = await readManyForRerun(
    tx,
    actor,
    sources.filter(({ fromNodeId }) => !action.fromFailedNode || fromNodeId !== null),
    { version, hasOriginalForActive: true },
  );
  const requests: (AcceptRequest & { readonly rerunOf: string })[] = [];
  for (const { executionId, fromNodeId } of sources) {
    const origin = origins.get(executionId) ?? new DeckhandError('INVALID_STATE', { message: 'No node of it failed' });
    if (origin instanceof DeckhandError) {
      failed.push(toError(executionId, origin));
      continue;
    }
    const { workflowVersionId: sourceVersionId, chosenVersionId: versionId, triggerNodeId } = origin;
    if (fromNodeId !== null && versionId !== null && versionId !== sourceVersionId) {
      const ways = await readWays(tx, executionId);
      if (!(await mayReach({ fromNodeId, triggerNodeId, versionId, sourceVersionId, ways }))) {
        failed.push(toError(executionId, new DeckhandError('NODE_NOT_REACHED')));
        continue;
      }
    }
    requests.push({
      executionId: uuidv7(),
      workflowId: origin.workflowId,
      actor,
      triggerNodeId,
      mode: origin.executionMode,
      source: 'rerun',
      triggerData: origin.triggerData,
      rerunOf: executionId,
      rerunFromNodeId: fromNodeId ?? undefined,
      options: serializeOptions(origin.options),
      ...(countedUnder !== null && { countedUnder }),
      ...(versionId === null ? chooseVersion(version, sourceVersionId) : { versionId }),
    });
  }
  const verdicts = requests.length === 0 ? [] : await insertWithKeys(tx, requests, addKey);
  const done: string[] = [];
  const startedIds: string[] = [];
  const uncounted: string[] = [];
  let blockedBy: ErrorCode | undefined;
  for (const [index, { executionId, rerunOf }] of requests.entries()) {
    const verdict = verdicts[index] ?? { kind: 'notFound' };
    if (verdict.kind === 'accepted') {
      done.push(rerunOf);
      startedIds.push(executionId);
    } else if (verdict.kind === 'overQuota') {
      blockedBy = 'workspace_over_quota';
    } else if (verdict.kind === 'notCounted') {
      uncounted.push(rerunOf);
    } else if (verdict.kind !== 'needsKey') {
      failed.push(toError(rerunOf, refusal(verdict)));
    }
  }
  return { done, failed, skipped, startedIds, uncounted, blockedBy };
}

/** Returns the nodes that ended runs by failing, by the ids of the runs. */
async function readFailedNodes(tx: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.$queryRaw<{ id: string; error: string }[]>(Prisma.sql`/* bulk-actions.read-errors */
    SELECT e.id, e.error FROM executions e WHERE e.id = ANY (${[...ids]}::uuid[]) AND e.error IS NOT NULL`);
  return new Map(
    rows.flatMap(({ id, error }) => {
      const { nodeId } = parseOwnJson<{ readonly nodeId: string | null }>(error);
      return nodeId === null ? [] : [[id, nodeId] as const];
    }),
  );
}

function refusal({ kind }: AcceptRefusal): DeckhandError {
  switch (kind) {
    case 'noVersion':
      return new DeckhandError('NO_ACTIVE_VERSION');
    case 'unknownTrigger':
    case 'noTrigger':
      return new DeckhandError('TRIGGER_DATA_GONE', { message: 'The version has no such trigger any more' });
    case 'forbidden':
      return new DeckhandError('FORBIDDEN');
    default:
      return new DeckhandError('NOT_FOUND', { message: 'No such workflow' });
  }
}
