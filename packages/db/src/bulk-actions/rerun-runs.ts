import { type BulkActionError, type ErrorCode, parseOwnJson, serializeOptions } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '../access.ts';
import { Prisma, type Queryable } from '../client.ts';
import { readManyForRerun, readWays, type RerunOrigin, type StoredWay } from '../executions/start/read-for-rerun.ts';
import { type Counted, isUnsettled, type StartLimits, type Unsettled } from '../executions/start/settle-starts.ts';
import { chooseVersion } from '../executions/start/admission.ts';
import type { StartRefusal, StartRequest } from '../executions/start/start-request.ts';
import { insertAdmitted } from '../executions/start/start-runs.ts';
import { type BulkOutcome, type DueBulkAction, findThose, NOTHING, toEntry, toGone } from './act-on-runs.ts';

/** What reruns need to know of their workflows, and of the limits of their workspace. */
export interface RerunChecks extends StartLimits {
  /** Returns whether a rerun from a node may come to that node in a version that is not that of the original run. */
  readonly mayReach: (rerun: {
    readonly fromNodeId: string;
    readonly triggerNodeId: string;
    readonly versionId: string;
    readonly sourceVersionId: string;
    readonly ways: readonly StoredWay[];
  }) => Promise<boolean>;
}

/** A run to be rerun, and the request of its rerun, or why there is none. */
export interface Rerun {
  readonly sourceId: string;
  readonly request: Counted<StartRequest> | null;
  readonly failed?: BulkActionError;
  readonly skipped?: BulkActionError;
}

/** Reads the runs to be rerun, and builds the requests. */
export async function planReruns(
  db: Queryable,
  action: DueBulkAction,
  actor: Actor,
  ids: readonly string[],
  { mayReach }: Pick<RerunChecks, 'mayReach'>,
): Promise<Rerun[]> {
  const existing = await findThose(db, action.workspaceId, ids);
  const nodes = action.fromFailedNode ? await readFailedNodes(db, [...existing]) : new Map<string, string>();
  const sources = [...existing].map((id) => ({ executionId: id, fromNodeId: nodes.get(id) ?? null }));
  const version = action.version ?? 'latest';
  const origins = await readManyForRerun(
    db,
    actor,
    sources.filter(({ fromNodeId }) => !action.fromFailedNode || fromNodeId !== null),
    { version, hasOriginalForActive: true },
  );
  const reruns = ids
    .filter((id) => !existing.has(id))
    .map((id): Rerun => ({ sourceId: id, request: null, skipped: toGone(id) }));
  for (const { executionId: sourceId, fromNodeId } of sources) {
    const fail = (code: ErrorCode, message?: string): void => {
      reruns.push({ sourceId, request: null, failed: toEntry(sourceId, code, message) });
    };
    const origin = origins.get(sourceId);
    if (!origin) fail('INVALID_STATE', 'No node of it failed');
    else if (origin.kind === 'refused') fail(origin.code, describe(origin));
    else if (!(await isReached(sourceId, fromNodeId, origin))) fail('NODE_NOT_REACHED');
    else reruns.push({ sourceId, request: toRequest(sourceId, fromNodeId, origin) });
  }
  return reruns;

  async function isReached(sourceId: string, fromNodeId: string | null, origin: RerunOrigin): Promise<boolean> {
    const { workflowVersionId: sourceVersionId, chosenVersionId: versionId, triggerNodeId } = origin;
    if (fromNodeId === null || versionId === null || versionId === sourceVersionId) return true;
    const ways = await readWays(db, sourceId);
    return mayReach({ fromNodeId, triggerNodeId, versionId, sourceVersionId, ways });
  }

  function toRequest(sourceId: string, fromNodeId: string | null, origin: RerunOrigin): StartRequest {
    const { workflowVersionId, chosenVersionId: versionId } = origin;
    // Without an active version, `active` stands for that of the run.
    const wasCurrentVersion = version === 'latest' || (version === 'active' && versionId !== workflowVersionId);
    return {
      executionId: uuidv7(),
      workflowId: origin.workflowId,
      actor,
      triggerNodeId: origin.triggerNodeId,
      mode: origin.executionMode,
      source: 'rerun',
      triggerData: origin.triggerData,
      rerunOf: sourceId,
      rerunFromNodeId: fromNodeId ?? undefined,
      options: serializeOptions(origin.options),
      ...(versionId === null ? chooseVersion(version, workflowVersionId) : { versionId, wasCurrentVersion }),
    };
  }
}

/** The verdict on a rerun. `left`: its run stays unsettled, and a later batch tries it again. */
export type RerunVerdict = { readonly kind: 'ended' | 'left' } | Unsettled;

/**
 * Starts reruns. Runs beyond the storage quota of the workspace stay unsettled, as those do whose reruns have no final
 * verdict yet.
 * @returns a verdict for each rerun, in their order, and what was done.
 */
export async function startReruns(
  tx: Queryable,
  reruns: readonly Rerun[],
): Promise<{ readonly verdicts: readonly RerunVerdict[]; readonly outcome: BulkOutcome }> {
  const requests = reruns.flatMap(({ request }) => request ?? []);
  const written = requests.length === 0 ? [] : await insertAdmitted(tx, requests);
  const bySource = new Map(requests.map(({ rerunOf }, index) => [rerunOf, written[index]]));
  const done: string[] = [];
  const failed: BulkActionError[] = [];
  const skipped: BulkActionError[] = [];
  const startedIds: string[] = [];
  const pending: string[] = [];
  let blockedBy: ErrorCode | undefined;
  const verdicts = reruns.map((rerun): RerunVerdict => {
    const { sourceId, request } = rerun;
    const verdict = bySource.get(sourceId);
    if (rerun.skipped) skipped.push(rerun.skipped);
    if (rerun.failed) failed.push(rerun.failed);
    if (!request || !verdict) return { kind: 'ended' };
    if (isUnsettled(verdict)) {
      pending.push(sourceId);
      return verdict;
    }
    if (verdict.kind === 'accepted') {
      done.push(sourceId);
      startedIds.push(request.executionId);
    } else if (verdict.kind === 'overQuota') blockedBy = 'workspace_over_quota';
    else failed.push(toFailure(sourceId, verdict));
    return { kind: 'ended' };
  });
  return { verdicts, outcome: { ...NOTHING, done, failed, skipped, startedIds, pending, blockedBy } };
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

function describe({ path, message }: { readonly path?: string; readonly message?: string }): string | undefined {
  return path === undefined || message === undefined ? message : `${path}: ${message}`;
}

function toFailure(sourceId: string, { kind }: StartRefusal): BulkActionError {
  switch (kind) {
    case 'noVersion':
      return toEntry(sourceId, 'NO_ACTIVE_VERSION');
    case 'unknownTrigger':
    case 'noTrigger':
      return toEntry(sourceId, 'TRIGGER_DATA_GONE', 'The version has no such trigger any more');
    case 'forbidden':
    case 'oldVersion':
      return toEntry(sourceId, 'FORBIDDEN');
    default:
      return toEntry(sourceId, 'NOT_FOUND', 'No such workflow');
  }
}
