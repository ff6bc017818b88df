import { randomBytes } from 'node:crypto';
import { DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import type { Database, Queryable } from '../client.ts';
import { lockWorkflow } from '../workflows/lock.ts';

/** Random bytes in a webhook's URL, which is the only protection of a webhook without a secret. */
const SUFFIX_BYTES = 18;

/**
 * Reserves URL suffixes for the workspace of a workflow permanently: even after a webhook gets another URL or is
 * deleted, no other workspace can get the suffix.
 *
 * Race: of two workflows that want the same suffix, the second waits for the lock of its row, and then sees the webhook
 * of the first. Served by the primary key and `webhooks_suffix_idx`.
 * @param request.exceptFor triggers of this workflow that may have the suffixes.
 * @throws DeckhandError CONFLICT with this message when another workspace has or had one of them, or another webhook
 * has.
 */
async function reserveSuffixes(
  tx: Queryable,
  workflowId: string,
  { suffixes, message, exceptFor }: { suffixes: readonly string[]; message: string; exceptFor: readonly string[] },
): Promise<void> {
  // In ascending order, so that two transactions that reserve the same suffixes cannot deadlock. The update changes
  // nothing: it locks and returns an existing row.
  const rows = await tx.$queryRaw<{ isOwn: boolean }[]>`/* webhooks.reserve-suffixes */
    INSERT INTO webhook_suffixes (suffix, workspace_id)
    SELECT DISTINCT wanted.suffix, w.workspace_id
    FROM workflows w CROSS JOIN unnest(${[...suffixes]}::text[]) AS wanted (suffix)
    WHERE w.id = ${workflowId}::uuid
    ORDER BY 1
    ON CONFLICT (suffix) DO UPDATE SET suffix = excluded.suffix
    RETURNING workspace_id = (SELECT workspace_id FROM workflows WHERE id = ${workflowId}::uuid) AS "isOwn"`;
  const isTaken = rows.some(({ isOwn }) => !isOwn);
  const others = { NOT: { workflowId, nodeId: { in: [...exceptFor] } } };
  const taken = isTaken || (await tx.webhook.findFirst({ where: { suffix: { in: [...suffixes] }, ...others } }));
  if (taken) throw new DeckhandError('CONFLICT', { message });
}

/** A trigger with a URL of a version that is being saved: a webhook, or a form. */
export interface WantedWebhook {
  readonly nodeId: string;
  /** Its parameter `path`; null generates a suffix. */
  readonly path: string | null;
  readonly method: string;
}

const TAKEN = 'A path of the definition is the URL of another webhook, or was that of another workspace';

/**
 * Gives each webhook node of a version that is being saved a URL once. A node that has one keeps it, unless its `path`
 * differs from the version before: an unchanged `path` must not restore a URL that was changed since. While the
 * workflow is active, another `path` is only reserved: `moveWebhookUrls` gives it to the node when the version becomes
 * active. Nodes with different methods may have one URL.
 * @param isLive whether the workflow is active. @param earlierVersionId the version before; null for the first.
 * @throws DeckhandError CONFLICT for a path that is taken, or that two nodes have with one method.
 */
export async function assignWebhookUrls(
  tx: Queryable,
  workflowId: string,
  wanted: readonly WantedWebhook[],
  { isLive, earlierVersionId }: { readonly isLive: boolean; readonly earlierVersionId: string | null },
): Promise<void> {
  if (wanted.length === 0) return;
  const suffixes = await readSuffixes(tx, workflowId);
  const added = wanted
    .filter(({ nodeId }) => !suffixes.has(nodeId))
    .map(({ nodeId, path }) => ({ suffix: path ?? createSuffix(), workflowId, nodeId }));
  const changed = await changedPaths(tx, wanted, suffixes, earlierVersionId);
  for (const { nodeId, suffix } of added) suffixes.set(nodeId, suffix);
  for (const { nodeId, path } of changed) suffixes.set(nodeId, path);
  requireDistinct(wanted, suffixes);
  if (added.length === 0 && changed.length === 0) return;
  const given = [...added.map(({ suffix }) => suffix), ...changed.map(({ path }) => path)];
  // Triggers that this version no longer has keep their URLs, for versions that are activated again.
  await reserveSuffixes(tx, workflowId, { suffixes: given, message: TAKEN, exceptFor: [...suffixes.keys()] });
  await tx.webhook.createMany({ data: added });
  if (!isLive) await setSuffixes(tx, workflowId, changed);
}

/**
 * Gives webhook nodes the paths of the version that receives requests from now on, where they differ from those of the
 * version before. If a workflow is deactivated, a path that another webhook has taken stays unused.
 * @throws DeckhandError CONFLICT for a path that another webhook has taken.
 */
export async function moveWebhookUrls(
  tx: Queryable,
  workflowId: string,
  {
    from,
    to,
    isActivated,
  }: { readonly from: string | null; readonly to: string | null; readonly isActivated: boolean },
): Promise<void> {
  if (from === to || to === null) return;
  const wanted = [...(await readPaths(tx, to))].map(([nodeId, path]) => ({ nodeId, path }));
  const suffixes = await readSuffixes(tx, workflowId);
  const changed = await changedPaths(tx, wanted, suffixes, from);
  if (changed.length === 0 || (!isActivated && (await areTaken(tx, workflowId, changed)))) return;
  await reserveSuffixes(tx, workflowId, {
    suffixes: changed.map(({ path }) => path),
    message: TAKEN,
    exceptFor: [...suffixes.keys()],
  });
  await setSuffixes(tx, workflowId, changed);
}

interface ChangedPath {
  readonly nodeId: string;
  readonly path: string;
}

async function readSuffixes(tx: Queryable, workflowId: string): Promise<Map<string, string>> {
  const rows = await tx.webhook.findMany({ where: { workflowId }, select: { nodeId: true, suffix: true } });
  return new Map(rows.map(({ nodeId, suffix }) => [nodeId, suffix]));
}

/** Returns the nodes with another URL than their path, and another path than in the version before. */
async function changedPaths(
  tx: Queryable,
  wanted: readonly Pick<WantedWebhook, 'nodeId' | 'path'>[],
  suffixes: ReadonlyMap<string, string>,
  earlierVersionId: string | null,
): Promise<ChangedPath[]> {
  const wishes = wanted.filter(({ nodeId, path }) => path !== null && (suffixes.get(nodeId) ?? path) !== path);
  const earlier = wishes.length === 0 ? undefined : await readPaths(tx, earlierVersionId);
  return wishes.flatMap(({ nodeId, path }) =>
    path === null || earlier?.get(nodeId) === path ? [] : [{ nodeId, path }],
  );
}

/** Returns whether a webhook of another workflow has one of the paths. */
async function areTaken(tx: Queryable, workflowId: string, changed: readonly ChangedPath[]): Promise<boolean> {
  const suffix = { in: changed.map(({ path }) => path) };
  return (await tx.webhook.findFirst({ where: { suffix, NOT: { workflowId } } })) !== null;
}

async function setSuffixes(tx: Queryable, workflowId: string, changed: readonly ChangedPath[]): Promise<void> {
  for (const { nodeId, path } of changed) {
    await tx.webhook.updateMany({
      where: { workflowId, nodeId },
      data: { suffix: path, testUntil: null, testUserId: null },
    });
  }
}

/** @throws DeckhandError CONFLICT */
function requireDistinct(wanted: readonly WantedWebhook[], suffixes: ReadonlyMap<string, string>): void {
  const byRequest = Map.groupBy(wanted, ({ nodeId, method }) => `${method} ${suffixes.get(nodeId)}`);
  const [same] = [...byRequest.values()].filter((nodes) => nodes.length > 1);
  if (!same) return;
  const nodes = same.map(({ nodeId }) => nodeId).join(', ');
  throw new DeckhandError('CONFLICT', { message: `The webhooks ${nodes} have the same path and the same method` });
}

async function readPaths(tx: Queryable, versionId: string | null): Promise<Map<string, string | null>> {
  const rows = await tx.$queryRaw<{ nodeId: string; path: string | null }[]>`
    SELECT node ->> 'id' AS "nodeId", node #>> '{parameters,path}' AS path
    FROM workflow_versions v CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
    WHERE v.id = ${versionId}::uuid AND node ->> 'type' IN ('trigger.webhook', 'trigger.form')`;
  return new Map(rows.map(({ nodeId, path }) => [nodeId, path]));
}

/**
 * Gives a webhook another URL. The old one is invalid from the response on.
 * @param suffix the requested one; undefined generates one.
 * @returns the suffix.
 * @throws DeckhandError NOT_FOUND for a workflow that the actor may not see and for a node without a webhook; FORBIDDEN
 * without the permission; CONFLICT for a suffix that is taken.
 */
export function changeWebhookUrl(
  db: Database,
  actor: Actor,
  workflowId: string,
  { nodeId, suffix = createSuffix() }: { nodeId: string; suffix?: string | undefined },
): Promise<string> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await lockWorkflow(tx, actor, workflowId, 'workflows.publish');
    const message = 'Another webhook has this URL, or one of another workspace had it';
    await reserveSuffixes(tx, workflowId, { suffixes: [suffix], message, exceptFor: [nodeId] });
    const { count } = await tx.webhook.updateMany({
      where: { workflowId, nodeId },
      data: { suffix, testUntil: null, testUserId: null },
    });
    if (count === 0) throw noSuchWebhook();
    const details = { nodeId };
    await recordChange(tx, actor, { action: 'workflow.webhook-url', workspaceId, resourceId: workflowId, details });
    return suffix;
  });
}

/** Returns the error for a node without a webhook. */
export function noSuchWebhook(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'The workflow has no such webhook' });
}

/** Generates a URL suffix: 24 characters that need no escaping. */
function createSuffix(): string {
  return randomBytes(SUFFIX_BYTES).toString('base64url');
}
