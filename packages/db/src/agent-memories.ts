import { DeckhandError, type InWorkspaceQuery, type Memory, type MemoryEntry, type PageOf } from '@deckhand/contracts';
import { type Actor, requirePermission } from './access.ts';
import { recordChange } from './audit/record.ts';
import { type Database, Prisma } from './client.ts';
import { toPage } from './paging.ts';

/** Memories of a workspace: a key beyond them is refused. Agents that end at the same time may exceed it. */
const MAX_KEYS = 10_000;
/** Exchanges of a memory; older ones are forgotten. */
const MAX_EXCHANGES = 100;
/** Characters of all exchanges of a memory. */
const MAX_CHARACTERS = 200_000;
/** Characters of a prompt or an answer: the rest is cut. */
const MAX_TEXT = 20_000;
/** How long memories are kept without a retention of the instance, after they were last written. In days. */
const KEPT_DAYS = 400;

/** The agent of a run that writes an exchange: it has one, however often it is written. */
export interface ExchangeWriter {
  readonly executionId: string;
  /** The agent in its run. */
  readonly place: string;
}

/** The conversation of a memory. */
export interface MemoryAddress {
  readonly workspaceId: string;
  readonly key: string;
}

/** A prompt, and what an agent answered. */
export interface MemoryExchange {
  readonly prompt: string;
  readonly answer: string;
}

interface StoredExchange extends MemoryExchange, ExchangeWriter {
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Reads the last exchanges of a memory, oldest first, without that of the reader: a try that was lost may have written
 * it.
 * @returns `full` for a new key of a workspace that has as many as it may.
 */
export async function readAgentMemory(
  db: Database,
  { workspaceId, key }: MemoryAddress,
  { executionId, place }: ExchangeWriter,
  maxExchanges: number,
): Promise<readonly MemoryExchange[] | 'full'> {
  // Served by the primary key. Keys are counted for a new one only, and no further than to the limit.
  const [found] = await db.$queryRaw<
    { exchanges: StoredExchange[] | null; isFull: boolean }[]
  >`/* agent-memories.read */
    SELECT (
      SELECT exchanges FROM agent_memories WHERE workspace_id = ${workspaceId}::uuid AND key = ${key}
    ) AS exchanges, NOT (${hasRoom({ workspaceId, key })}) AS "isFull"`;
  if (found?.isFull === true) return 'full';
  return (found?.exchanges ?? [])
    .filter((exchange) => exchange.executionId !== executionId || exchange.place !== place)
    .slice(-maxExchanges)
    .map(({ prompt, answer }) => ({ prompt, answer }));
}

/**
 * Adds an exchange to a memory. An agent that has written one already replaces it: its last answer may have been lost
 * with its worker, and the model was asked again.
 *
 * Race: agents that write to the same memory at the same time, or maintenance that deletes it. The statement that
 * reads the row locks it, or creates it.
 * @returns `full` for a new key of a workspace that has as many as it may.
 */
export function writeAgentMemory(
  db: Database,
  { workspaceId, key }: MemoryAddress,
  writer: ExchangeWriter,
  { prompt, answer }: MemoryExchange,
): Promise<'written' | 'full'> {
  return db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ exchanges: StoredExchange[]; at: Date }[]>`/* agent-memories.lock */
      INSERT INTO agent_memories AS m (workspace_id, key, exchanges, updated_at)
      SELECT ${workspaceId}::uuid, ${key}, '[]'::jsonb, now() WHERE ${hasRoom({ workspaceId, key })}
      ON CONFLICT (workspace_id, key) DO UPDATE SET updated_at = now()
      RETURNING m.exchanges, now() AS at`;
    if (!row) return 'full';
    const { executionId, place } = writer;
    const added = { executionId, place, prompt: storable(prompt), answer: storable(answer), at: row.at.toISOString() };
    const exchanges = JSON.stringify(withExchange(row.exchanges, added));
    await tx.$executeRaw`/* agent-memories.write */
      UPDATE agent_memories SET exchanges = ${exchanges}::jsonb
      WHERE workspace_id = ${workspaceId}::uuid AND key = ${key}`;
    return 'written';
  });
}

/** Returns the condition that a key is known, or may be added. */
function hasRoom({ workspaceId, key }: MemoryAddress): Prisma.Sql {
  return Prisma.sql`CASE
    WHEN EXISTS (SELECT FROM agent_memories WHERE workspace_id = ${workspaceId}::uuid AND key = ${key}) THEN true
    ELSE (SELECT count(*) < ${MAX_KEYS} FROM (
      SELECT FROM agent_memories WHERE workspace_id = ${workspaceId}::uuid LIMIT ${MAX_KEYS}) AS keys)
    END`;
}

/** Returns what a memory has with one more exchange: the last ones that fit. */
function withExchange(before: readonly StoredExchange[], added: StoredExchange): readonly StoredExchange[] {
  const others = before.filter(({ executionId, place }) => executionId !== added.executionId || place !== added.place);
  const kept = [...others, added].slice(-MAX_EXCHANGES);
  let length = 0;
  const first = kept.findLastIndex(({ prompt, answer }) => {
    length += prompt.length + answer.length;
    return length > MAX_CHARACTERS;
  });
  return kept.slice(first + 1);
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
function storable(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return cut.replaceAll('\0', '').toWellFormed();
}

/** Lists the memories of a workspace by key. @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH. */
export async function listAgentMemories(
  db: Database,
  actor: Actor,
  query: InWorkspaceQuery,
): Promise<PageOf<MemoryEntry>> {
  const { workspaceId, limit, offset } = query;
  await requirePermission(db, actor, workspaceId, 'runs.read');
  const rows = await db.$queryRaw<{ key: string; exchanges: number; updatedAt: Date }[]>`/* agent-memories.list */
    SELECT key, jsonb_array_length(exchanges) AS exchanges, updated_at AS "updatedAt" FROM agent_memories
    WHERE workspace_id = ${workspaceId}::uuid ORDER BY key LIMIT ${limit + 1} OFFSET ${offset}`;
  return toPage(
    query,
    rows,
    ({ key, exchanges, updatedAt }) => ({ key, messages: exchanges * 2, updatedAt: updatedAt.toISOString() }),
    () => db.agentMemory.count({ where: { workspaceId } }),
  );
}

/**
 * Reads a memory.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH; NOT_FOUND.
 */
export async function readAgentMemoryAs(
  db: Database,
  actor: Actor,
  { workspaceId, key }: MemoryAddress,
): Promise<Memory> {
  await requirePermission(db, actor, workspaceId, 'runs.read');
  const [row] = await db.$queryRaw<{ exchanges: StoredExchange[]; updatedAt: Date }[]>`/* agent-memories.show */
    SELECT exchanges, updated_at AS "updatedAt" FROM agent_memories
    WHERE workspace_id = ${workspaceId}::uuid AND key = ${key}`;
  if (!row) throw noSuchMemory();
  const messages = row.exchanges.flatMap(({ prompt, answer, executionId, at }): Memory['messages'] => [
    { role: 'user', text: prompt, executionId, at },
    { role: 'assistant', text: answer, executionId, at },
  ]);
  return { key, messages, updatedAt: row.updatedAt.toISOString() };
}

/**
 * Deletes a memory. A run whose agent has not ended yet may write to it again.
 * @throws DeckhandError FORBIDDEN without the permission; WORKSPACE_MISMATCH; NOT_FOUND.
 */
export function deleteAgentMemory(db: Database, actor: Actor, { workspaceId, key }: MemoryAddress): Promise<void> {
  return db.$transaction(async (tx) => {
    await requirePermission(tx, actor, workspaceId, 'runs.delete');
    const { count } = await tx.agentMemory.deleteMany({ where: { workspaceId, key } });
    if (count === 0) throw noSuchMemory();
    // Without the key, which may name a person.
    await recordChange(tx, actor, { action: 'memory.delete', workspaceId, resourceId: workspaceId });
  });
}

function noSuchMemory(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such memory' });
}

/**
 * Deletes memories that nobody wrote to for as long as the instance keeps data of runs, or for 400 days if
 * it keeps them for ever.
 * @returns how many; `limit` of them means that there may be more.
 */
export function pruneAgentMemories(db: Database, limit: number): Promise<number> {
  const days = Prisma.sql`coalesce((SELECT (value #>> '{}')::int FROM settings WHERE name = 'dataRetentionDays'),
    (SELECT (value #>> '{}')::int FROM settings WHERE name = 'runRetentionDays'), ${KEPT_DAYS}::int)`;
  return db.$executeRaw`/* agent-memories.prune */
    DELETE FROM agent_memories WHERE (workspace_id, key) IN (
      SELECT workspace_id, key FROM agent_memories WHERE updated_at < now() - make_interval(days => ${days})
      ORDER BY updated_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
