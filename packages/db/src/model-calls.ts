import { v7 as uuidv7 } from 'uuid';
import type { AiUsage } from '@deckhand/contracts';
import { type Actor, requireRole } from './access.ts';
import { type Database, Prisma, type Queryable } from './client.ts';
import { isTaken } from './store-errors.ts';

const NO_CALLS: SummedCalls = { calls: 0, inputTokens: 0, outputTokens: 0, models: [], workflows: [], days: [] };
/** How long calls are kept, for reports of a year and the one before it. */
const KEPT = Prisma.sql`interval '800 days'`;
/** Models, and workflows, of a report: those with the most tokens first. */
const MAX_ENTRIES = 500;
/**
 * The largest sum, which JSON still has exactly. Rows of earlier versions may have any number of tokens, so that a sum
 * of them does not fit a bigint.
 */
const MAX_SUM = Prisma.raw(String(Number.MAX_SAFE_INTEGER));
const SUMS = Prisma.sql`sum(calls)::float8 AS calls, least(sum(input), ${MAX_SUM})::float8 AS "inputTokens",
  least(sum(output), ${MAX_SUM})::float8 AS "outputTokens"`;
const BY_TOKENS = Prisma.sql`sum(input) + sum(output) DESC`;

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
  /** How many tokens it may use, as far as that can be said before. */
  readonly reservedTokens: number;
}

/** The tokens of a response, as the provider counted them. */
export interface SettledTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
}

/** Returns the id of a new call. */
export const newModelCallId = (): string => uuidv7();

/** Whether a request may be sent. */
export type ModelCallAdmission =
  | { readonly kind: 'counted' }
  /** With its tokens, the workspace would exceed its limit. */
  | { readonly kind: 'overLimit'; readonly usedTokens: number; readonly maxTokens: number };

/** The month of a time, as `model_months` has it. */
const monthOf = (time: Prisma.Sql): Prisma.Sql => Prisma.sql`date_trunc('month', ${time} AT TIME ZONE 'UTC')::date`;

/**
 * Counts a request before it is sent, and reserves its tokens in the month of its workspace. Repeating it changes
 * nothing.
 *
 * Race: calls of several workers at once. Each adds to the row of the month only if the limit allows it by the row as
 * the call before left it. A repetition that meets its first try waits for it at that row. Then it fails as a whole at
 * the id; or the limit refuses it, and a second statement finds the call that the first try has counted.
 */
export async function insertModelCall(db: Database, call: NewModelCall): Promise<ModelCallAdmission> {
  const { id, workspaceId, executionId, nodeId, iteration, credentialId, provider, model, reservedTokens } = call;
  const [found] = await db.$queryRaw<{ isCounted: boolean }[]>`/* model-calls.insert */
    WITH begun AS (SELECT date_trunc('milliseconds', now()) AS at),
    known AS (SELECT FROM model_calls WHERE id = ${id}::uuid),
    limited AS (SELECT model_tokens_per_month AS tokens FROM workspaces WHERE id = ${workspaceId}::uuid),
    reserved AS (
      INSERT INTO model_months AS m (workspace_id, month, tokens)
      SELECT ${workspaceId}::uuid, ${monthOf(Prisma.sql`begun.at`)}, ${reservedTokens}::bigint FROM begun
      WHERE NOT EXISTS (SELECT FROM known)
        AND coalesce(${reservedTokens}::bigint <= (SELECT tokens FROM limited), true)
      ON CONFLICT (workspace_id, month) DO UPDATE SET tokens = least(m.tokens, ${MAX_SUM}) + excluded.tokens
        WHERE coalesce(least(m.tokens, ${MAX_SUM}) + excluded.tokens <= (SELECT tokens FROM limited), true)
      RETURNING m.month
    ), inserted AS (
      INSERT INTO model_calls (id, workspace_id, execution_id, workflow_id, node_id, iteration, credential_id, provider,
        model, started_at, reserved_tokens)
      SELECT ${id}::uuid, ${workspaceId}::uuid, ${executionId}::uuid,
        (SELECT e.workflow_id FROM executions e WHERE e.id = ${executionId}::uuid), ${nodeId}, ${iteration},
        ${credentialId}::uuid, ${provider}, ${model}, begun.at, ${reservedTokens}::bigint
      FROM reserved, begun RETURNING 1
    )
    SELECT EXISTS (SELECT FROM inserted) OR EXISTS (SELECT FROM known) AS "isCounted"`.catch(countedBefore);
  if (!found || found.isCounted) return { kind: 'counted' };
  return readRefusal(db, call);
}

/** Reads why a call was not counted: unless it was, by a first try that has ended meanwhile. */
async function readRefusal(db: Database, { id, workspaceId }: NewModelCall): Promise<ModelCallAdmission> {
  const [found] = await db.$queryRaw<
    { isCounted: boolean; usedTokens: number; maxTokens: number | null }[]
  >`/* model-calls.refusal */
    SELECT EXISTS (SELECT FROM model_calls WHERE id = ${id}::uuid) AS "isCounted",
      coalesce((SELECT tokens FROM model_months
        WHERE workspace_id = ${workspaceId}::uuid AND month = ${monthOf(Prisma.sql`now()`)}), 0)::float8 AS "usedTokens",
      (SELECT model_tokens_per_month FROM workspaces WHERE id = ${workspaceId}::uuid)::float8 AS "maxTokens"`;
  if (found?.isCounted === true) return { kind: 'counted' };
  return { kind: 'overLimit', usedTokens: found?.usedTokens ?? 0, maxTokens: found?.maxTokens ?? 0 };
}

/** Reads the error of a repetition whose first try was committed meanwhile. @throws any other error. */
function countedBefore(error: unknown): [] {
  if (isTaken(error)) return [];
  throw error;
}

/**
 * Adds the tokens of a response, in place of those that were reserved. Repeating it changes nothing.
 * @param tokens none for a response that says that the request was not answered.
 */
export async function settleModelCall(db: Database, id: string, tokens: SettledTokens): Promise<void> {
  const { inputTokens, outputTokens, cachedInputTokens } = tokens;
  await db.$executeRaw`/* model-calls.settle */
    WITH settled AS (
      UPDATE model_calls SET settled_at = now(), input_tokens = ${inputTokens}, output_tokens = ${outputTokens},
        cached_input_tokens = ${cachedInputTokens}
      WHERE id = ${id}::uuid AND settled_at IS NULL
      RETURNING workspace_id, started_at, input_tokens + output_tokens - reserved_tokens AS tokens
    )
    ${addToMonth(Prisma.sql`settled`)}`;
}

/** Deletes a request that was not sent. Repeating it changes nothing. */
export async function deleteModelCall(db: Database, id: string): Promise<void> {
  await db.$executeRaw`/* model-calls.delete */
    WITH deleted AS (
      DELETE FROM model_calls WHERE id = ${id}::uuid AND settled_at IS NULL
      RETURNING workspace_id, started_at, -reserved_tokens AS tokens
    )
    ${addToMonth(Prisma.sql`deleted`)}`;
}

function addToMonth(calls: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    UPDATE model_months m SET tokens = greatest(least(m.tokens, ${MAX_SUM}) + c.tokens, 0) FROM ${calls} c
    WHERE m.workspace_id = c.workspace_id AND m.month = ${monthOf(Prisma.sql`c.started_at`)}`;
}

/** Returns the tokens of a workspace in this month of UTC, reserved ones included. */
export async function readModelMonth(db: Queryable, workspaceId: string): Promise<number> {
  const [row] = await db.$queryRaw<{ tokens: number }[]>`/* model-calls.month */
    SELECT least(tokens, ${MAX_SUM})::float8 AS tokens FROM model_months
    WHERE workspace_id = ${workspaceId}::uuid AND month = ${monthOf(Prisma.sql`now()`)}`;
  return row?.tokens ?? 0;
}

/** Calls and tokens of a period. */
type SummedCalls = Pick<AiUsage, 'calls' | 'inputTokens' | 'outputTokens' | 'models' | 'workflows' | 'days'>;

/**
 * Sums the calls of a workspace: in total, by model and by workflow, the 500 with the most tokens of each, and by day
 * of UTC.
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
    WITH found AS (
      SELECT model, workflow_id, (started_at AT TIME ZONE 'UTC')::date AS day, count(*) AS calls,
        sum(input_tokens) AS input, sum(output_tokens) AS output
      FROM model_calls
      WHERE workspace_id = ${workspaceId}::uuid AND started_at >= ${from} AND started_at < ${to}
      GROUP BY 1, 2, 3
    ), models AS (
      SELECT model, ${SUMS} FROM found GROUP BY model ORDER BY ${BY_TOKENS}, model LIMIT ${MAX_ENTRIES}
    ), ranked AS (
      SELECT workflow_id AS "workflowId", ${SUMS} FROM found WHERE workflow_id IS NOT NULL
      GROUP BY workflow_id ORDER BY ${BY_TOKENS}, workflow_id LIMIT ${MAX_ENTRIES}
    ), days AS (SELECT day, ${SUMS} FROM found GROUP BY day)
    SELECT ${SUMS}, (SELECT jsonb_agg(to_jsonb(m) ORDER BY m."inputTokens" + m."outputTokens" DESC, m.model) FROM models m) AS models,
      (SELECT coalesce(jsonb_agg(to_jsonb(w) || jsonb_build_object('workflowName', f.name)
          ORDER BY w."inputTokens" + w."outputTokens" DESC, w."workflowId"), '[]'::jsonb)
        FROM ranked w LEFT JOIN workflows f ON f.id = w."workflowId" AND f.workspace_id = ${workspaceId}::uuid) AS workflows,
      (SELECT jsonb_agg(to_jsonb(d) ORDER BY day) FROM days d) AS days
    FROM found HAVING count(*) > 0`;
  return sums;
}

/** Deletes the sums of months whose calls are deleted. @returns how many; `limit` means that there may be more. */
export function pruneModelMonths(db: Database, limit: number): Promise<number> {
  return db.$executeRaw`/* model-calls.prune-months */
    DELETE FROM model_months WHERE (workspace_id, month) IN (
      SELECT workspace_id, month FROM model_months WHERE month < (now() - ${KEPT} - interval '1 month')::date
      ORDER BY month LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}

/** Deletes old calls. @returns how many; `limit` of them means that there may be more. */
export function pruneModelCalls(db: Database, limit: number): Promise<number> {
  return db.$executeRaw`/* model-calls.prune */
    DELETE FROM model_calls WHERE id IN (
      SELECT id FROM model_calls WHERE started_at < now() - ${KEPT}
      ORDER BY started_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
