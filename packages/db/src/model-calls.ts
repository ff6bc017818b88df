import { v7 as uuidv7 } from 'uuid';
import type { AiUsage } from '@deckhand/contracts';
import { type Actor, requireRole } from './access.ts';
import { type Database, Prisma } from './client.ts';

const NO_CALLS: SummedCalls = { calls: 0, inputTokens: 0, outputTokens: 0, models: [] };
/** How long calls are kept, for reports of a year and the one before it. */
const KEPT = Prisma.sql`interval '800 days'`;
/** Models of a report, those with the most tokens first. */
const MAX_MODELS = 500;

/** A request to a language model that is about to be sent. */
export interface NewModelCall {
  /** The same when the statement is repeated. */
  readonly id: string;
  readonly workspaceId: string;
  readonly executionId: string;
  readonly nodeId: string;
  readonly iteration: string;
  readonly credentialId: string;
  readonly provider: string;
  readonly model: string;
}

/** The tokens of a response, as the provider counted them. */
export interface SettledTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
}

/** Returns the id of a new call. */
export const newModelCallId = (): string => uuidv7();

/** Counts a request before it is sent. Repeating it changes nothing. */
export async function insertModelCall(db: Database, call: NewModelCall): Promise<void> {
  const { id, workspaceId, executionId, nodeId, iteration, credentialId, provider, model } = call;
  await db.$executeRaw`/* model-calls.insert */
    INSERT INTO model_calls
      (id, workspace_id, execution_id, node_id, iteration, credential_id, provider, model, started_at)
    VALUES (${id}::uuid, ${workspaceId}::uuid, ${executionId}::uuid, ${nodeId}, ${iteration}, ${credentialId}::uuid,
      ${provider}, ${model}, now())
    ON CONFLICT (id) DO NOTHING`;
}

/** Adds the tokens of a response. Repeating it changes nothing. */
export async function settleModelCall(db: Database, id: string, tokens: SettledTokens): Promise<void> {
  const { inputTokens, outputTokens, cachedInputTokens } = tokens;
  await db.$executeRaw`/* model-calls.settle */
    UPDATE model_calls SET settled_at = now(), input_tokens = ${inputTokens}, output_tokens = ${outputTokens},
      cached_input_tokens = ${cachedInputTokens}
    WHERE id = ${id}::uuid AND settled_at IS NULL`;
}

/** Deletes a request that was not sent. Repeating it changes nothing. */
export async function deleteModelCall(db: Database, id: string): Promise<void> {
  await db.$executeRaw`/* model-calls.delete */
    DELETE FROM model_calls WHERE id = ${id}::uuid AND settled_at IS NULL`;
}

/** Calls and tokens of a period. */
type SummedCalls = Pick<AiUsage, 'calls' | 'inputTokens' | 'outputTokens' | 'models'>;

/**
 * Sums the calls of a workspace, in total and by model: the 500 with the most tokens.
 * @param from the first ms. @param to the first ms after the period.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function sumModelCalls(
  db: Database,
  actor: Actor,
  { workspaceId, from, to }: { readonly workspaceId: string; readonly from: Date; readonly to: Date },
): Promise<SummedCalls> {
  await requireRole(db, actor, workspaceId, 'viewer');
  const [sums = NO_CALLS] = await db.$queryRaw<SummedCalls[]>`/* model-calls.sum */
    WITH summed AS (
      SELECT model, count(*)::float8 AS calls, sum(input_tokens)::float8 AS "inputTokens",
        sum(output_tokens)::float8 AS "outputTokens"
      FROM model_calls
      WHERE workspace_id = ${workspaceId}::uuid AND started_at >= ${from} AND started_at < ${to}
      GROUP BY model
    ), ranked AS (
      SELECT *, row_number() OVER (ORDER BY "inputTokens" + "outputTokens" DESC, model) AS rank FROM summed
    )
    SELECT sum(calls) AS calls, sum("inputTokens") AS "inputTokens", sum("outputTokens") AS "outputTokens",
      jsonb_agg(to_jsonb(ranked) - 'rank' ORDER BY rank) FILTER (WHERE rank <= ${MAX_MODELS}) AS models
    FROM ranked HAVING count(*) > 0`;
  return sums;
}

/** Deletes old calls. @returns how many; `limit` of them means that there may be more. */
export function pruneModelCalls(db: Database, limit: number): Promise<number> {
  return db.$executeRaw`/* model-calls.prune */
    DELETE FROM model_calls WHERE id IN (
      SELECT id FROM model_calls WHERE started_at < now() - ${KEPT}
      ORDER BY started_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
