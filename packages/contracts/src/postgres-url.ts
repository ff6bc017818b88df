/** Modes that pg treats as `verify-full`, with a warning that a later version of it will not. */
const ALIASES_OF_VERIFY_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/g;

/**
 * Returns a PostgreSQL URL whose TLS mode pg takes without a warning, now and in its next version: `prefer`, `require`
 * and `verify-ca` become `verify-full`. A URL that asks for libpq's meaning of them (`uselibpqcompat=true`) stays as it
 * is.
 */
export function withExplicitSslMode(url: string): string {
  return /[?&]uselibpqcompat=true(?=[&#]|$)/.test(url) ? url : url.replace(ALIASES_OF_VERIFY_FULL, '$1verify-full');
}
