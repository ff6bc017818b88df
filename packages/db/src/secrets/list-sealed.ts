import { type Database, Prisma } from '../client.js';

/** Places of encrypted secrets: a credential has one JWE, a version a JSON text of node id → parameter → JWE. */
export type SecretHolder = 'credential' | 'version';

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
  return holder === 'credential'
    ? db.$queryRaw<SealedRow[]>(Prisma.sql`
        SELECT id, secret AS sealed FROM credentials WHERE id > ${after}::uuid ORDER BY id LIMIT ${limit}`)
    : db.$queryRaw<SealedRow[]>(Prisma.sql`
        SELECT id, sealed_secrets::text AS sealed FROM workflow_versions
        WHERE id > ${after}::uuid AND sealed_secrets::text <> '{}' ORDER BY id LIMIT ${limit}`);
}
