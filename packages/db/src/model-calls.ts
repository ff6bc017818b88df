import { v7 as uuidv7 } from 'uuid';
import type { AiUsage } from '@deckhand/contracts';
import { type Actor, requirePermission } from './access.ts';
import { type Database, Prisma, type Queryable } from './client.ts';
import { priceOf } from './model-prices.ts';
import { isTaken } from './store-errors.ts';

const NO_CALLS: SummedCalls = {
  ...{ calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: null, callsWithoutCost: 0 },
  ...{ models: [], workflows: [], days: [] },
};
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
  least(sum(output), ${MAX_SUM})::float8 AS "outputTokens", sum(cost)::float8 AS "costMicroUsd",
  sum(unpriced)::float8 AS "callsWithoutCost"`;
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
  readonly reservedInputTokens: number;
  readonly reservedOutputTokens: number;
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
  | { readonly kind: 'overLimit'; readonly usedTokens: number; readonly maxTokens: number }
  /** With its cost, the workspace would exceed its limit. In micro-dollars. */
  | {
      readonly kind: 'overCost';
      readonly usedMicroUsd: number;
      readonly maxMicroUsd: number;
      readonly reservedMicroUsd: number;
    }
  /** The workspace has a limit of costs, and nobody knows what the model costs. */
  | { readonly kind: 'noPrice' };

/** The month of a time, as `model_months` has it. */
const monthOf = (time: Prisma.Sql): Prisma.Sql => Prisma.sql`date_trunc('month', ${time} AT TIME ZONE 'UTC')::date`;

/** Of tokens and their prices, in micro-dollars, rounded up. Numeric: a product may exceed a bigint. */
const costOf = (input: Prisma.Sql, cached: Prisma.Sql, output: Prisma.Sql, price: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`ceil((((${input}) - least(${cached}, ${input}))::numeric * ${price}.input
    + least(${cached}, ${input})::numeric * coalesce(${price}.cached, ${price}.input)
    + (${output})::numeric * ${price}.output) / 1000000)::bigint`;

/**
 * Counts a request before it is sent, and reserves its tokens and their cost in the month of its workspace. The call
 * keeps the price of its day. Repeating it changes nothing.
 *
 * Race: calls of several workers at once. Each adds to the row of the month only if the limits allow it by the row as
 * the call before left it. A repetition that meets its first try waits for it at that row. Then it fails as a whole at
 * the id; or a limit refuses it, and a second statement finds the call that the first try has counted.
 */
export async function insertModelCall(db: Database, call: NewModelCall): Promise<ModelCallAdmission> {
  const { id, workspaceId, executionId, nodeId, iteration, credentialId, provider, model } = call;
  const input = Prisma.sql`${call.reservedInputTokens}::bigint`;
  const output = Prisma.sql`${call.reservedOutputTokens}::bigint`;
  const [found] = await db.$queryRaw<{ isCounted: boolean; reservedMicroUsd: number | null }[]>`/* model-calls.insert */
    WITH begun AS (SELECT date_trunc('milliseconds', now()) AS at),
    known AS (SELECT FROM model_calls WHERE id = ${id}::uuid),
    limited AS (
      SELECT model_tokens_per_month AS tokens, model_micro_usd_per_month AS micro_usd
      FROM workspaces WHERE id = ${workspaceId}::uuid
    ),
    price AS (${priceOf(provider, model, Prisma.sql`(SELECT at FROM begun)`)}),
    needed AS (
      SELECT ${input} + ${output} AS tokens, p.*,
        ${costOf(input, Prisma.sql`0`, output, Prisma.sql`p`)} AS micro_usd
      FROM (SELECT) AS one LEFT JOIN price p ON true
    ),
    reserved AS (
      INSERT INTO model_months AS m (workspace_id, month, tokens, micro_usd)
      SELECT ${workspaceId}::uuid, ${monthOf(Prisma.sql`begun.at`)}, n.tokens, coalesce(n.micro_usd, 0)
      FROM begun, needed n
      WHERE NOT EXISTS (SELECT FROM known)
        AND coalesce(n.tokens <= (SELECT tokens FROM limited), true)
        AND ((SELECT micro_usd FROM limited) IS NULL OR coalesce(n.micro_usd <= (SELECT micro_usd FROM limited), false))
      ON CONFLICT (workspace_id, month) DO UPDATE SET tokens = least(m.tokens, ${MAX_SUM}) + excluded.tokens,
        micro_usd = least(m.micro_usd, ${MAX_SUM}) + excluded.micro_usd
        WHERE coalesce(least(m.tokens, ${MAX_SUM}) + excluded.tokens <= (SELECT tokens FROM limited), true)
          AND coalesce(least(m.micro_usd, ${MAX_SUM}) + excluded.micro_usd <= (SELECT micro_usd FROM limited), true)
      RETURNING m.month
    ), inserted AS (
      INSERT INTO model_calls (id, workspace_id, execution_id, workflow_id, node_id, iteration, credential_id, provider,
        model, started_at, reserved_tokens, input_price, cached_input_price, output_price, reserved_micro_usd)
      SELECT ${id}::uuid, ${workspaceId}::uuid, ${executionId}::uuid,
        (SELECT e.workflow_id FROM executions e WHERE e.id = ${executionId}::uuid), ${nodeId}, ${iteration},
        ${credentialId}::uuid, ${provider}, ${model}, begun.at, n.tokens, n.input, n.cached, n.output,
        coalesce(n.micro_usd, 0)
      FROM reserved, begun, needed n RETURNING 1
    )
    SELECT EXISTS (SELECT FROM inserted) OR EXISTS (SELECT FROM known) AS "isCounted",
      (SELECT micro_usd FROM needed)::float8 AS "reservedMicroUsd"`.catch(countedBefore);
  if (!found || found.isCounted) return { kind: 'counted' };
  return readRefusal(db, call, found.reservedMicroUsd);
}

/** Reads why a call was not counted: unless it was, by a first try that has ended meanwhile. */
async function readRefusal(
  db: Database,
  { id, workspaceId }: NewModelCall,
  reservedMicroUsd: number | null,
): Promise<ModelCallAdmission> {
  const [found] = await db.$queryRaw<Refusal[]>`/* model-calls.refusal */
    SELECT EXISTS (SELECT FROM model_calls WHERE id = ${id}::uuid) AS "isCounted", coalesce(m.tokens, 0)::float8 AS "usedTokens",
      w.model_tokens_per_month::float8 AS "maxTokens", coalesce(m.micro_usd, 0)::float8 AS "usedMicroUsd",
      w.model_micro_usd_per_month::float8 AS "maxMicroUsd"
    FROM (SELECT) AS one LEFT JOIN workspaces w ON w.id = ${workspaceId}::uuid
      LEFT JOIN model_months m ON m.workspace_id = w.id AND m.month = ${monthOf(Prisma.sql`now()`)}`;
  if (!found || found.isCounted) return { kind: 'counted' };
  const { usedTokens, maxTokens, usedMicroUsd, maxMicroUsd } = found;
  if (maxMicroUsd !== null && reservedMicroUsd === null) return { kind: 'noPrice' };
  const isOverCost = maxMicroUsd !== null && usedMicroUsd + (reservedMicroUsd ?? 0) > maxMicroUsd;
  if (maxMicroUsd !== null && (isOverCost || maxTokens === null))
    return { kind: 'overCost', usedMicroUsd, maxMicroUsd, reservedMicroUsd: reservedMicroUsd ?? 0 };
  return { kind: 'overLimit', usedTokens, maxTokens: maxTokens ?? 0 };
}

interface Refusal {
  readonly isCounted: boolean;
  readonly usedTokens: number;
  readonly maxTokens: number | null;
  readonly usedMicroUsd: number;
  readonly maxMicroUsd: number | null;
}

/** Reads the error of a repetition whose first try was committed meanwhile. @throws any other error. */
function countedBefore(error: unknown): [] {
  if (isTaken(error)) return [];
  throw error;
}

/**
 * Adds the tokens of a response and their cost, in place of those that were reserved. Repeating it changes nothing.
 * @param tokens none for a response that says that the request was not answered.
 * @returns the cost in micro-dollars; null for a model without a price.
 */
export async function settleModelCall(db: Database, id: string, tokens: SettledTokens): Promise<number | null> {
  const { inputTokens, outputTokens, cachedInputTokens } = tokens;
  const input = Prisma.sql`${inputTokens}::bigint`;
  const cost = costOf(input, Prisma.sql`${cachedInputTokens}::bigint`, Prisma.sql`${outputTokens}::bigint`, PRICES);
  const [settled] = await db.$queryRaw<{ costMicroUsd: number | null }[]>`/* model-calls.settle */
    WITH settled AS (
      UPDATE model_calls SET settled_at = now(), input_tokens = ${inputTokens}, output_tokens = ${outputTokens},
        cached_input_tokens = ${cachedInputTokens}, cost_micro_usd = (
          SELECT ${cost} FROM (
            SELECT input_price AS input, cached_input_price AS cached, output_price AS output
          ) AS price)
      WHERE id = ${id}::uuid AND settled_at IS NULL
      RETURNING workspace_id, started_at, input_tokens + output_tokens - reserved_tokens AS tokens, cost_micro_usd,
        coalesce(cost_micro_usd, 0) - reserved_micro_usd AS micro_usd
    ), moved AS (${addToMonth(Prisma.sql`settled`)})
    SELECT cost_micro_usd::float8 AS "costMicroUsd" FROM settled`;
  if (settled) return settled.costMicroUsd;
  // A first try has settled it. It may have been committed after the snapshot of the statement above.
  const [before] = await db.$queryRaw<{ costMicroUsd: number | null }[]>`/* model-calls.cost */
    SELECT cost_micro_usd::float8 AS "costMicroUsd" FROM model_calls WHERE id = ${id}::uuid`;
  return before?.costMicroUsd ?? null;
}

const PRICES = Prisma.sql`price`;

/** Deletes a request that was not sent. Repeating it changes nothing. */
export async function deleteModelCall(db: Database, id: string): Promise<void> {
  await db.$executeRaw`/* model-calls.delete */
    WITH deleted AS (
      DELETE FROM model_calls WHERE id = ${id}::uuid AND settled_at IS NULL
      RETURNING workspace_id, started_at, -reserved_tokens AS tokens, -reserved_micro_usd AS micro_usd
    )
    ${addToMonth(Prisma.sql`deleted`)}`;
}

function addToMonth(calls: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    UPDATE model_months m SET tokens = greatest(least(m.tokens, ${MAX_SUM}) + c.tokens, 0),
      micro_usd = greatest(least(m.micro_usd, ${MAX_SUM}) + c.micro_usd, 0)
    FROM ${calls} c
    WHERE m.workspace_id = c.workspace_id AND m.month = ${monthOf(Prisma.sql`c.started_at`)}`;
}

/** What a workspace used in a month, and what is reserved. */
export interface ModelMonthSums {
  readonly tokens: number;
  /** In micro-dollars, of calls with a price. */
  readonly microUsd: number;
}

/** Returns what a workspace used in this month of UTC, with what is reserved. */
export async function readModelMonth(db: Queryable, workspaceId: string): Promise<ModelMonthSums> {
  const [row] = await db.$queryRaw<ModelMonthSums[]>`/* model-calls.month */
    SELECT least(tokens, ${MAX_SUM})::float8 AS tokens, least(micro_usd, ${MAX_SUM})::float8 AS "microUsd"
    FROM model_months WHERE workspace_id = ${workspaceId}::uuid AND month = ${monthOf(Prisma.sql`now()`)}`;
  return row ?? { tokens: 0, microUsd: 0 };
}

/** Calls and tokens of a period. */
type SummedCalls = Omit<AiUsage, 'workspaceId' | 'from' | 'to'>;

/** The calls that are summed. */
export interface CallPeriod {
  readonly workspaceId: string;
  /** The first ms. */
  readonly from: Date;
  /** The first ms after the period. */
  readonly to: Date;
  /** Those of one workflow, or of one run. */
  readonly workflowId?: string | undefined;
  readonly executionId?: string | undefined;
}

/**
 * Sums the calls of a workspace: in total, by model and by workflow, the 500 with the most tokens of each, and by day
 * of UTC. A cost is that of the calls whose cost is known; null if it is known of none.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function sumModelCalls(
  db: Database,
  actor: Actor,
  { workspaceId, from, to, workflowId, executionId }: CallPeriod,
): Promise<SummedCalls> {
  await requirePermission(db, actor, workspaceId, 'runs.read');
  const ofWorkflow = workflowId === undefined ? Prisma.empty : Prisma.sql`AND workflow_id = ${workflowId}::uuid`;
  const ofRun = executionId === undefined ? Prisma.empty : Prisma.sql`AND execution_id = ${executionId}::uuid`;
  const [sums = NO_CALLS] = await db.$queryRaw<SummedCalls[]>`/* model-calls.sum */
    WITH found AS (
      SELECT model, workflow_id, (started_at AT TIME ZONE 'UTC')::date AS day, count(*) AS calls,
        sum(input_tokens) AS input, sum(output_tokens) AS output, sum(cost_micro_usd) AS cost,
        count(*) - count(cost_micro_usd) AS unpriced
      FROM model_calls
      WHERE workspace_id = ${workspaceId}::uuid AND started_at >= ${from} AND started_at < ${to} ${ofWorkflow} ${ofRun}
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
