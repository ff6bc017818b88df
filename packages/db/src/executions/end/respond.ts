import { type Database, Prisma } from '../../client.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import { isUnfinished } from '../run-status.ts';

/** A response of a node to the caller of its run. */
export interface ResponseToCaller {
  readonly executionId: string;
  readonly nodeId: string;
  readonly iteration: string;
  /** Serialised `{ body, statusCode, headers }`. */
  readonly responseJson: string;
}

/**
 * What became of a response. `responded`: it is the response of the run, now or since an earlier attempt of the node.
 * `alreadyResponded`: another node was first. `noCaller`: nobody waits for a response, or the run has ended.
 */
export type ResponseVerdict = 'responded' | 'alreadyResponded' | 'noCaller';

/** Whether the run `e` was started by a webhook whose trigger responds on completion. */
const HAS_CALLER = Prisma.sql`e.source = 'webhook' AND EXISTS (
        SELECT 1 FROM workflow_versions v CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
        WHERE v.id = e.workflow_version_id AND node ->> 'id' = e.trigger_node_id
          AND node #>> '{parameters,responseMode}' = 'onCompletion')`;

/**
 * Sets the response of a run to its caller, unless it has one.
 *
 * Race: two nodes at once, a node that runs again after its worker died, and a stop. The row of the run is locked
 * before anything is decided: the first response stays, and a run that has ended gets none. Served by the primary key.
 */
export async function respondToCaller(db: Database, response: ResponseToCaller): Promise<ResponseVerdict> {
  const { executionId, nodeId, iteration, responseJson } = response;
  const by = `${nodeId}/${iteration}`;
  const bytes = Buffer.byteLength(responseJson);
  const [run] = await db.$queryRaw<{ hasCaller: boolean; isOwn: boolean }[]>(Prisma.sql`/* executions.respond */
    WITH run AS (
      SELECT e.id, e.responded_by, ${HAS_CALLER} AS has_caller
      FROM executions e WHERE e.id = ${executionId}::uuid AND ${isUnfinished()} ${LOCK_RUNS}
    ), responded AS (
      UPDATE executions e SET responded_by = ${by}, response = ${responseJson}, revision = e.revision + 1,
        stored_bytes = e.stored_bytes + ${bytes}
      FROM run r WHERE e.id = r.id AND r.has_caller AND r.responded_by IS NULL
      RETURNING e.workspace_id
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes) SELECT workspace_id, ${bytes} FROM responded
    )
    SELECT r.has_caller AS "hasCaller", coalesce(r.responded_by, ${by}) = ${by} AS "isOwn" FROM run r`);
  if (run?.hasCaller !== true) return 'noCaller';
  return run.isOwn ? 'responded' : 'alreadyResponded';
}
