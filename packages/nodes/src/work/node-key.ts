import { NodeError } from '@deckhand/engine';
import Type, { type TUnsafe } from 'typebox';

/** Returns the schema of a key that is a text, or a number that counts as its text. */
export function keyParameter(options: {
  readonly maxLength: number;
  readonly description: string;
}): TUnsafe<string | number> {
  return Type.Unsafe<string | number>({ type: ['string', 'number'], minLength: 1, ...options });
}

/**
 * Returns a key as the text that is stored and compared.
 * @throws NodeError PARAMETERS_INVALID for a text that PostgreSQL cannot store.
 */
export function keyText(key: string | number): string {
  const text = String(key);
  if (text.isWellFormed() && !text.includes('\0')) return text;
  const what = text.includes('\0') ? 'a NUL character' : 'half a surrogate pair';
  throw new NodeError('PARAMETERS_INVALID', `parameters.key has ${what}`, { isRetryable: false });
}
