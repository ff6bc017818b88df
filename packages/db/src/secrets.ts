import { type Database, Prisma } from './client.ts';

/**
 * Places of encrypted secrets: a credential has one JWE, and so have the tokens of a connection, a secret of an event
 * endpoint, the ID token of a session and the secret of an authenticator; a version has a JSON text of node id →
 * parameter → JWE.
 */
export type SecretHolder = 'credential' | 'connection' | 'eventSecret' | 'idToken' | 'authenticator' | 'version';

/** The tables whose rows have one JWE, with the columns of the id and of the JWE. */
const TABLES = {
  credential: columnOf('credentials', 'secret'),
  connection: columnOf('oauth2_connections', 'secret'),
  eventSecret: columnOf('event_secrets', 'secret'),
  idToken: columnOf('sessions', 'sealed_id_token'),
  authenticator: columnOf('authenticators', 'secret', 'user_id'),
} as const;

function columnOf(table: string, column: string, id = 'id') {
  return { table: Prisma.raw(table), column: Prisma.raw(column), id: Prisma.raw(id) };
}

/** The encrypted secrets of one row. */
export interface SealedRow {
  readonly id: string;
  /** Exactly as it is stored: a row is changed only while it still contains this. */
  readonly sealed: string;
}

/** Lists a page of the rows that contain secrets, of all workspaces, in the order of their ids. */
export function listSealed(
  db: Database,
  holder: SecretHolder,
  { afterId, limit }: { readonly afterId: string | undefined; readonly limit: number },
): Promise<SealedRow[]> {
  const after = afterId ?? '00000000-0000-0000-0000-000000000000';
  if (holder === 'version') {
    return db.$queryRaw<SealedRow[]>(Prisma.sql`
      SELECT id, sealed_secrets::text AS sealed FROM workflow_versions
      WHERE id > ${after}::uuid AND sealed_secrets::text <> '{}' ORDER BY id LIMIT ${limit}`);
  }
  const { table, column, id } = TABLES[holder];
  return db.$queryRaw<SealedRow[]>(Prisma.sql`
    SELECT ${id} AS id, ${column} AS sealed FROM ${table}
    WHERE ${id} > ${after}::uuid AND ${column} IS NOT NULL ORDER BY ${id} LIMIT ${limit}`);
}

/** A row as it was read, and its new content. */
export interface Resealing extends SealedRow {
  /** The same secrets, encrypted with another key. */
  readonly resealed: string;
}

/**
 * Writes secrets that were encrypted with another key, each only if its row still contains what was read: a secret that
 * a person replaced in the meantime stays. The visible content of the row does not change, so neither does its time of
 * change. @returns the ids of the rows that were changed.
 */
export async function resealSecrets(
  db: Database,
  holder: SecretHolder,
  rows: readonly Resealing[],
): Promise<readonly string[]> {
  const given = Prisma.sql`unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::text[],
    ${rows.map(({ resealed }) => resealed)}::text[]) AS r(id, sealed, resealed)`;
  if (holder === 'version') {
    const versions = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
      WITH r AS (
        SELECT v.id, r.resealed FROM workflow_versions v JOIN ${given} ON v.id = r.id AND v.sealed_secrets::text = r.sealed
        ORDER BY v.id FOR NO KEY UPDATE OF v
      )
      UPDATE workflow_versions v SET sealed_secrets = r.resealed::json FROM r WHERE v.id = r.id RETURNING v.id`);
    return versions.map(({ id }) => id);
  }
  const { table, column, id } = TABLES[holder];
  const changed = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH r AS (
      SELECT c.${id} AS id, r.resealed FROM ${table} c JOIN ${given} ON c.${id} = r.id AND c.${column} = r.sealed
      ORDER BY c.${id} FOR NO KEY UPDATE OF c
    )
    UPDATE ${table} c SET ${column} = r.resealed FROM r WHERE c.${id} = r.id RETURNING c.${id} AS id`);
  return changed.map((row) => row.id);
}
