import { unsupported } from '../../unsupported.ts';

/** Maximum length of an address in which something is looked for, in characters. */
const MAX_ADDRESS = 2_000;

/**
 * Returns what the first group of a pattern finds in an address, from its beginning on; undefined if it finds nothing.
 * @throws UnsupportedError for an address that is too long: patterns of n8n may take quadratic time.
 */
export function partOfAddress(address: string, pattern: string): string | undefined {
  if (address.length > MAX_ADDRESS) return unsupported(`an address of more than ${MAX_ADDRESS} characters`);
  return new RegExp(`^(?:${pattern})`).exec(address)?.[1];
}
