import type { SecretHolder } from '@deckhand/db';
import { isJsonObject } from '@deckhand/contracts';
import { type SecretBox, SecretBoxError } from '@deckhand/runtime';

/**
 * The result for the secrets of a row: unchanged, because the present key encrypted them; a new text; or not
 * decryptable.
 */
export type Verdict =
  | { readonly kind: 'current' }
  | { readonly kind: 'stale'; readonly resealed: string }
  | { readonly kind: 'locked'; readonly reason: string };

/** Encrypts the secrets of a row with the present key, if other keys encrypted them. */
export async function resealText(box: SecretBox, holder: SecretHolder, sealed: string): Promise<Verdict> {
  try {
    if (holder !== 'version') {
      return box.isSealedByPresentKey(sealed)
        ? { kind: 'current' }
        : { kind: 'stale', resealed: await box.seal(await box.open(sealed)) };
    }
    const resealed = JSON.stringify(await resealParameters(box, JSON.parse(sealed)));
    return resealed === JSON.stringify(JSON.parse(sealed)) ? { kind: 'current' } : { kind: 'stale', resealed };
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error;
    return { kind: 'locked', reason: error.message };
  }
}

/** Encrypts the parameters (node id → parameter → JWE) that other keys encrypted with the present key. */
async function resealParameters(box: SecretBox, value: unknown): Promise<unknown> {
  if (typeof value === 'string') return box.isSealedByPresentKey(value) ? value : box.seal(await box.open(value));
  if (!isJsonObject(value)) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) members.push([name, await resealParameters(box, member)]);
  return Object.fromEntries(members);
}
