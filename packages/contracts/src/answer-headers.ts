/** Matches the name of a header (RFC 9110, 5.1). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Matches the value of a header (RFC 9110, 5.5): visible Latin-1 characters, with blanks inside. */
const VALUE = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]{0,8190}[\x21-\x7e\x80-\xff])?$/;

/**
 * Headers that belong to the connection or the service, or that would affect other responses of the same host.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'date',
  'keep-alive',
  'nel',
  'proxy-authenticate',
  'proxy-connection',
  'public-key-pins',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-content-type-options',
  'x-request-id',
]);

/** Returns why a workflow may not set this header of a response to a webhook; undefined if it may. */
export function answerHeaderIssue(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'is not a name of a header';
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || lower.startsWith('access-control-')) return 'is set by the service';
  return value === '' || VALUE.test(value) ? undefined : 'has a value that no header can have';
}
