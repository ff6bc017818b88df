import { type Database, Prisma } from '../client.js';

/** Where sealed secrets are kept: a credential has one JWE, a version a JSON text of node id → parameter → JWE. */
export type SecretHolder = 'credential' | 'version';

/** What is kept sealed in one row. */
export interface SealedRow {
  readonly id: string;
  /** As it is kept, to the letter: rows are changed only while they still hold it. */
  readonly sealed: string;
}

/** A page of the rows that hold secrets, of all workspaces, in the order of their ids. */
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
