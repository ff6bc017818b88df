import type { Queryable } from '../client.js';
import { conflictWhenTaken } from '../unique.js';
import { reserveSuffixes } from './reserve-suffixes.js';
import { createSuffix } from './suffix.js';

/** A webhook trigger of a version that is being saved. */
export interface WantedWebhook {
  readonly nodeId: string;
  /** Its parameter `path`; null generates a suffix. */
  readonly path: string | null;
}

/**
 * Gives each webhook node a URL once. A node that has one keeps it, unless its `path` differs from the version before:
 * an unchanged `path` must not restore a URL that was changed since.
 * @param earlierVersionId the version before; null for the first.
 * @throws DeckhandError CONFLICT for a path that is taken.
 */
export async function assignWebhookUrls(
  tx: Queryable,
  workflowId: string,
  wanted: readonly WantedWebhook[],
  earlierVersionId: string | null,
): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await tx.webhook.findMany({ where: { workflowId }, select: { nodeId: true, suffix: true } });
  const suffixes = new Map(rows.map(({ nodeId, suffix }) => [nodeId, suffix]));
  const message = 'A path of the definition is the URL of another webhook, or was that of another workspace';
  const isTaken = conflictWhenTaken(message);

  const added = wanted
    .filter(({ nodeId }) => !suffixes.has(nodeId))
    .map(({ nodeId, path }) => ({ suffix: path ?? createSuffix(), workflowId, nodeId }));
  const wishes = wanted.filter(({ nodeId, path }) => path !== null && (suffixes.get(nodeId) ?? path) !== path);
  const earlier = wishes.length === 0 ? undefined : await readPaths(tx, earlierVersionId);
  const changed = wishes.flatMap(({ nodeId, path }) =>
    path === null || earlier?.get(nodeId) === path ? [] : [{ nodeId, path }],
  );
  if (added.length === 0 && changed.length === 0) return;
  const given = [...added.map(({ suffix }) => suffix), ...changed.map(({ path }) => path)];
  await reserveSuffixes(tx, workflowId, { suffixes: given, message });
  await tx.webhook.createMany({ data: added }).catch(isTaken);
  for (const { nodeId, path } of changed) {
    await tx.webhook
      .updateMany({ where: { workflowId, nodeId }, data: { suffix: path, testUntil: null, testUserId: null } })
      .catch(isTaken);
  }
}

async function readPaths(tx: Queryable, versionId: string | null): Promise<Map<string, string | null>> {
  const rows = await tx.$queryRaw<{ nodeId: string; path: string | null }[]>`
    SELECT node ->> 'id' AS "nodeId", node #>> '{parameters,path}' AS path
    FROM workflow_versions v CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
    WHERE v.id = ${versionId}::uuid AND node ->> 'type' = 'trigger.webhook'`;
  return new Map(rows.map(({ nodeId, path }) => [nodeId, path]));
}
