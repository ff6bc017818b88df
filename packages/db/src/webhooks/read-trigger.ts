import type { Database } from '../client.js';

/** A node of a saved version, with the parts of the version that a webhook needs. They never change. */
export interface SavedTrigger {
  /** The node in the definition. */
  readonly node: unknown;
  /** `settings.rateLimit` of the definition; null without one. */
  readonly rateLimit: unknown;
  /** The node's encrypted secrets: parameter → JWE; null if there are none. */
  readonly sealedSecrets: unknown;
  /** Time limit of a run of the version. */
  readonly timeoutMs: number;
}

/** Reads one node of a version without the rest of its definition; undefined when the version has no such node. */
export async function readSavedTrigger(
  db: Database,
  versionId: string,
  nodeId: string,
): Promise<SavedTrigger | undefined> {
  const [row] = await db.$queryRaw<SavedTrigger[]>`
    SELECT node, v.definition #> '{settings,rateLimit}' AS "rateLimit", v.sealed_secrets -> ${nodeId} AS "sealedSecrets",
      v.timeout_ms::float8 AS "timeoutMs"
    FROM workflow_versions v CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
    WHERE v.id = ${versionId}::uuid AND node ->> 'id' = ${nodeId}`;
  return row;
}
