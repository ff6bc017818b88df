import { type Database, listSealed, type Resealing, resealSecrets, type SecretHolder } from '@deckhand/db';
import type { SecretBox } from '@deckhand/runtime';
import { resealText } from './reseal-text.ts';

/** Number of rows that are read and written together. */
const BATCH = 200;
const NONE = { credential: 0, connection: 0, eventSecret: 0, idToken: 0, authenticator: 0, version: 0 };
const HOLDERS: readonly SecretHolder[] = [
  'credential',
  'connection',
  'eventSecret',
  'idToken',
  'authenticator',
  'version',
];

/** A row whose secrets none of the keys can decrypt. */
export interface LockedRow {
  readonly holder: SecretHolder;
  readonly id: string;
  /** Names the missing key by its id. */
  readonly reason: string;
}

/** The result of one pass over all secrets. */
export interface Pass {
  /** Number of rows with secrets. */
  readonly rows: number;
  /** Number of rows with secrets that a key other than the present one encrypted, by kind. */
  readonly stale: Readonly<Record<SecretHolder, number>>;
  readonly locked: readonly LockedRow[];
}

/** Counts all secrets and tries to decrypt those of old keys. Changes nothing. */
export function checkSecrets(db: Database, box: SecretBox): Promise<Pass> {
  return goThrough(db, box, () => Promise.resolve());
}

/**
 * Encrypts the secrets of old keys with the present key, page by page. A row that was changed meanwhile is skipped.
 * After an interruption, the next call continues with the remaining rows.
 * @param onResealed called with the number of rows that were changed.
 */
export function resealAll(db: Database, box: SecretBox, onResealed: (rows: number) => void): Promise<Pass> {
  return goThrough(db, box, async (holder, rows) => onResealed((await resealSecrets(db, holder, rows)).length));
}

async function goThrough(
  db: Database,
  box: SecretBox,
  handle: (holder: SecretHolder, stale: readonly Resealing[]) => Promise<void>,
): Promise<Pass> {
  const stale: Record<SecretHolder, number> = { ...NONE };
  const locked: LockedRow[] = [];
  let rows = 0;
  for (const holder of HOLDERS) {
    let afterId: string | undefined;
    for (;;) {
      const page = await listSealed(db, holder, { afterId, limit: BATCH });
      if (page.length === 0) break;
      afterId = page.at(-1)?.id;
      rows += page.length;
      const resealings: Resealing[] = [];
      for (const row of page) {
        const verdict = await resealText(box, holder, row.sealed);
        if (verdict.kind === 'stale') resealings.push({ ...row, resealed: verdict.resealed });
        if (verdict.kind === 'locked') locked.push({ holder, id: row.id, reason: verdict.reason });
      }
      stale[holder] += resealings.length;
      if (resealings.length > 0) await handle(holder, resealings);
    }
  }
  return { rows, stale, locked };
}
