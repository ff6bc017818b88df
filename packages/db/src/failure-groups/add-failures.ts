import { parseOwnJson, type RunError } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { lockNames } from '../advisory-locks.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { fingerprintOf, normalizeMessage } from './fingerprint.ts';

/** Maximum number of groups of a workspace, without the one for failures that find no room. */
const MAX_FAILURE_GROUPS = 1_000;
/** The fingerprint of that one. */
const OTHER_FAILURES = 'other';
/** Maximum number of versions that a group lists: those that failed last. */
const MAX_VERSIONS = 50;
/** How long after its last failure an open group may have to give way to a new one. */
const STALE = Prisma.sql`interval '30 days'`;
/** Maximum number of node types that a process remembers. */
const MAX_NODE_TYPES = 10_000;

/** A run that failed, with the group that it belongs to. */
export interface Failure {
  readonly executionId: string;
  readonly workspaceId: string;
  readonly workflowId: string;
  readonly workflowVersionId: string;
  readonly finishedAt: Date;
  readonly fingerprint: string;
  readonly nodeType: string | null;
  readonly code: string | null;
  readonly message: string;
}

/**
 * Finds those of the given runs that failed and wait to be indexed for the first time. Tries of authors (modes other
 * than `normal`) are none.
 */
export async function findFailures(db: Database, executionIds: readonly string[]): Promise<Failure[]> {
  const rows = await db.$queryRaw<
    {
      executionId: string;
      workspaceId: string;
      workflowId: string;
      workflowVersionId: string;
      finishedAt: Date;
      error: string;
    }[]
  >(Prisma.sql`/* failure-groups.find-failures */
    SELECT e.id AS "executionId", e.workspace_id AS "workspaceId", e.workflow_id AS "workflowId",
      e.workflow_version_id AS "workflowVersionId", e.finished_at AS "finishedAt", e.error
    FROM unindexed_executions u JOIN executions e ON e.id = u.execution_id
    WHERE u.execution_id = ANY (${[...executionIds]}::uuid[]) AND u.failure_group_id IS NULL
      AND e.status IN ('failed', 'timeout') AND e.execution_mode = 'normal' AND e.error IS NOT NULL
    ORDER BY e.finished_at, e.id`);
  const failures: Failure[] = [];
  // One after another: a definition may be large.
  for (const { error, ...run } of rows) {
    const { nodeId, code, message } = parseOwnJson<RunError>(error);
    const kind = {
      nodeType: nodeId === null ? null : await readNodeType(db, run.workflowVersionId, nodeId),
      code: code.slice(0, 100).replaceAll('\0', ''),
      message: normalizeMessage(message),
    };
    failures.push({ ...run, ...kind, fingerprint: fingerprintOf(kind) });
  }
  return failures;
}

/** Types of nodes by version and node: versions never change. */
const nodeTypes = new Map<string, string | null>();

async function readNodeType(db: Database, versionId: string, nodeId: string): Promise<string | null> {
  const key = `${versionId} ${nodeId}`;
  const known = nodeTypes.get(key);
  if (known !== undefined) return known;
  const version = await db.workflowVersion.findUnique({ where: { id: versionId }, select: { definition: true } });
  const type = findNodeType(version?.definition, nodeId);
  if (nodeTypes.size >= MAX_NODE_TYPES) nodeTypes.clear();
  nodeTypes.set(key, type);
  return type;
}

function findNodeType(definition: Prisma.JsonValue | undefined, nodeId: string): string | null {
  if (!isObject(definition) || !Array.isArray(definition.nodes)) return null;
  const node = definition.nodes.filter(isObject).find(({ id }) => id === nodeId);
  return typeof node?.type === 'string' ? node.type : null;
}

function isObject(value: Prisma.JsonValue | undefined): value is Prisma.JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Failures of a batch with one fingerprint in one workspace. */
interface Addition {
  readonly id: string;
  readonly kind: Failure;
  readonly failures: Failure[];
}

/**
 * Adds failures to their groups, and opens resolved groups that failed again. The transaction has taken the runs from
 * the work list, so that each is counted once.
 *
 * Race: another process that adds failures of the same workspaces. A lock per workspace, which ends with the
 * transaction, keeps the number of groups exact.
 * @returns the ids of the groups, by the ids of the runs.
 */
export async function addFailures(tx: Queryable, failures: readonly Failure[]): Promise<Map<string, string>> {
  await lockNames(
    tx,
    failures.map(({ workspaceId }) => `failure groups of ${workspaceId}`),
  );
  const wanted = groupFailures(failures);
  const existing = await findExisting(tx, wanted);
  const unplaced = wanted.filter(({ kind }) => !existing.has(keyOf(kind)));
  const rejected = new Set<string>();
  for (const [workspaceId, additions] of Map.groupBy(unplaced, ({ kind }) => kind.workspaceId)) {
    const room = await makeRoom(tx, workspaceId, additions.length, [...existing.values()]);
    for (const { kind } of additions.slice(room)) rejected.add(keyOf(kind));
  }
  const placed = rejected.size === 0 ? wanted : groupFailures(failures.map((one) => toOther(one, rejected)));
  const ids = await upsertGroups(tx, placed);
  await upsertVersions(tx, placed, ids);
  return new Map(
    placed.flatMap(({ kind, failures: of }) => {
      const id = ids.get(keyOf(kind));
      return id === undefined ? [] : of.map(({ executionId }) => [executionId, id] as const);
    }),
  );
}

function keyOf({ workspaceId, fingerprint }: Pick<Failure, 'workspaceId' | 'fingerprint'>): string {
  return `${workspaceId} ${fingerprint}`;
}

/** Groups failures, in the order of their keys. */
function groupFailures(failures: readonly Failure[]): Addition[] {
  const byKey = new Map<string, Addition>();
  for (const failure of failures) {
    const key = keyOf(failure);
    const addition = byKey.get(key) ?? { id: uuidv7(), kind: failure, failures: [] };
    addition.failures.push(failure);
    byKey.set(key, addition);
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, addition]) => addition);
}

function toOther(failure: Failure, rejected: ReadonlySet<string>): Failure {
  if (!rejected.has(keyOf(failure))) return failure;
  return { ...failure, fingerprint: OTHER_FAILURES, nodeType: null, code: null, message: 'Other failures' };
}

/** Returns the ids of the groups that exist, by their keys. */
async function findExisting(tx: Queryable, wanted: readonly Addition[]): Promise<Map<string, string>> {
  const rows = await tx.$queryRaw<
    { id: string; workspaceId: string; fingerprint: string }[]
  >(Prisma.sql`/* failure-groups.find-existing */
    SELECT g.id, g.workspace_id AS "workspaceId", g.fingerprint
    FROM unnest(${wanted.map(({ kind }) => kind.workspaceId)}::uuid[], ${wanted.map(({ kind }) => kind.fingerprint)}::text[])
      AS w (workspace_id, fingerprint)
    JOIN failure_groups g ON g.workspace_id = w.workspace_id AND g.fingerprint = w.fingerprint`);
  return new Map(rows.map((row) => [keyOf(row), row.id]));
}

/**
 * Deletes groups to make room for new ones: closed ones first, then open ones without recent failures; of each those
 * that failed longest ago. @returns for how many there is room.
 */
async function makeRoom(
  tx: Queryable,
  workspaceId: string,
  needed: number,
  except: readonly string[],
): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>(Prisma.sql`/* failure-groups.count */
    SELECT count(*)::int AS count FROM failure_groups
    WHERE workspace_id = ${workspaceId}::uuid AND fingerprint <> ${OTHER_FAILURES}`);
  const room = Math.max(0, MAX_FAILURE_GROUPS - (row?.count ?? 0));
  if (room >= needed) return needed;
  const deleted = await tx.$executeRaw(Prisma.sql`/* failure-groups.make-room */
    DELETE FROM failure_groups WHERE id IN (
      SELECT id FROM failure_groups
      WHERE workspace_id = ${workspaceId}::uuid AND fingerprint <> ${OTHER_FAILURES} AND id <> ALL (${[...except]}::uuid[])
        AND (state <> 'open' OR last_seen_at < now() - ${STALE})
      ORDER BY state = 'open', last_seen_at, id LIMIT ${needed - room} FOR UPDATE SKIP LOCKED)`);
  return room + deleted;
}

/** @returns the ids of the groups, by their keys. */
async function upsertGroups(tx: Queryable, additions: readonly Addition[]): Promise<Map<string, string>> {
  const rows = additions.map(({ id, kind, failures }) => {
    const last = failures.at(-1) ?? kind;
    return {
      id,
      workspaceId: kind.workspaceId,
      fingerprint: kind.fingerprint,
      nodeType: kind.nodeType,
      code: kind.code,
      message: kind.message,
      count: failures.length,
      firstAt: (failures[0] ?? kind).finishedAt.toISOString(),
      lastAt: last.finishedAt.toISOString(),
      lastId: last.executionId,
    };
  });
  const isAgain = Prisma.sql`g.state = 'resolved' AND EXCLUDED.last_seen_at > g.state_changed_at`;
  const upserted = await tx.$queryRaw<
    { id: string; workspaceId: string; fingerprint: string }[]
  >(Prisma.sql`/* failure-groups.add-failures */
    INSERT INTO failure_groups AS g
      (id, workspace_id, fingerprint, node_type, code, message, run_count, first_seen_at, last_seen_at, last_execution_id)
    SELECT * FROM unnest(
      ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${rows.map(({ fingerprint }) => fingerprint)}::text[], ${rows.map(({ nodeType }) => nodeType)}::text[],
      ${rows.map(({ code }) => code)}::text[], ${rows.map(({ message }) => message)}::text[],
      ${rows.map(({ count }) => count)}::bigint[], ${rows.map(({ firstAt }) => firstAt)}::timestamptz[],
      ${rows.map(({ lastAt }) => lastAt)}::timestamptz[], ${rows.map(({ lastId }) => lastId)}::uuid[])
    ON CONFLICT (workspace_id, fingerprint) DO UPDATE SET
      run_count = g.run_count + EXCLUDED.run_count,
      first_seen_at = least(g.first_seen_at, EXCLUDED.first_seen_at),
      last_seen_at = greatest(g.last_seen_at, EXCLUDED.last_seen_at),
      last_execution_id = CASE WHEN EXCLUDED.last_seen_at >= g.last_seen_at
        THEN EXCLUDED.last_execution_id ELSE g.last_execution_id END,
      state = CASE WHEN ${isAgain} THEN 'open'::failure_group_state ELSE g.state END,
      state_changed_at = CASE WHEN ${isAgain} THEN now() ELSE g.state_changed_at END
    RETURNING id, workspace_id AS "workspaceId", fingerprint`);
  return new Map(upserted.map((row) => [keyOf(row), row.id]));
}

async function upsertVersions(
  tx: Queryable,
  additions: readonly Addition[],
  groupIds: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = additions.flatMap(({ kind, failures }) => {
    const groupId = groupIds.get(keyOf(kind));
    if (groupId === undefined) return [];
    return [...Map.groupBy(failures, ({ workflowVersionId }) => workflowVersionId).values()].flatMap((of) => {
      const [first, last] = [of[0], of.at(-1)];
      return first && last ? [{ groupId, first, last, count: of.length }] : [];
    });
  });
  await tx.$executeRaw(Prisma.sql`/* failure-groups.add-versions */
    INSERT INTO failure_group_versions AS v
      (group_id, workflow_version_id, workflow_id, run_count, first_seen_at, last_seen_at)
    SELECT * FROM unnest(
      ${rows.map(({ groupId }) => groupId)}::uuid[], ${rows.map(({ first }) => first.workflowVersionId)}::uuid[],
      ${rows.map(({ first }) => first.workflowId)}::uuid[], ${rows.map(({ count }) => count)}::bigint[],
      ${rows.map(({ first }) => first.finishedAt.toISOString())}::timestamptz[],
      ${rows.map(({ last }) => last.finishedAt.toISOString())}::timestamptz[])
    ON CONFLICT (group_id, workflow_version_id) DO UPDATE SET
      run_count = v.run_count + EXCLUDED.run_count,
      first_seen_at = least(v.first_seen_at, EXCLUDED.first_seen_at),
      last_seen_at = greatest(v.last_seen_at, EXCLUDED.last_seen_at)`);
  await tx.$executeRaw(Prisma.sql`/* failure-groups.forget-versions */
    DELETE FROM failure_group_versions v USING (
      SELECT o.group_id, o.workflow_version_id,
        row_number() OVER (PARTITION BY o.group_id ORDER BY o.last_seen_at DESC, o.workflow_version_id DESC) AS position
      FROM failure_group_versions o WHERE o.group_id = ANY (${[...groupIds.values()]}::uuid[])
    ) r
    WHERE v.group_id = r.group_id AND v.workflow_version_id = r.workflow_version_id AND r.position > ${MAX_VERSIONS}`);
}
