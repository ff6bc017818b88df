const NAMES = new Set(
  'connection content-length expect keep-alive proxy-authorization te trailer transfer-encoding upgrade'.split(' '),
);

/**
 * Returns true for a header of the connection, in any case: it is derived from the request, and nobody else may say it
 * (RFC 9110, section 7.6.1, and RFC 9112, section 6).
 */
export function isConnectionHeader(name: string): boolean {
  return NAMES.has(name.toLowerCase());
}
