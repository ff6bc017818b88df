/** Modes that pg treats as `verify-full`, while warning that a later version will not. */
const ALIASES_OF_VERIFY_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/g;

/**
 * Returns a PostgreSQL URL whose TLS mode means the same in this and the next version of pg: `prefer`, `require` and
 * `verify-ca` become `verify-full`. A URL that asks for libpq's meaning (`uselibpqcompat=true`) is not changed.
 */
export function withExplicitSslMode(url: string): string {
  return /[?&]uselibpqcompat=true(?=[&#]|$)/.test(url) ? url : url.replace(ALIASES_OF_VERIFY_FULL, '$1verify-full');
}
