/** Headers of a connection, and those that say where a request ends (RFC 9110, 7.6 and 10.1.1; RFC 9112, 6). */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Returns true for a header that belongs to the connection or to a proxy: the HTTP client derives it. */
export function isConnectionHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return CONNECTION_HEADERS.has(lower) || lower.startsWith('proxy-');
}

/** Returns true for a header that belongs to the connection, or that names the server to which a request goes. */
export function isRoutingHeader(name: string): boolean {
  return isConnectionHeader(name) || name.toLowerCase() === 'host';
}
