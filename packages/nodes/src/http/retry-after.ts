/**
 * Returns the delay that the `retry-after` header of a response asks for (RFC 9110, 10.2.3), in ms; undefined if it has
 * none, or one that is neither seconds nor an HTTP date. A date counts from the `date` of the response, if it has one:
 * the server's clock may differ from ours.
 * @param headers by lower-case name
 * @param now ms since the epoch
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const at = parseHttpDate(value);
  if (at === undefined) return undefined;
  return Math.max(0, at - (parseHttpDate(headers.date ?? '') ?? now));
}

function parseHttpDate(text: string): number | undefined {
  // Without a zone, it would be a time of the worker's zone.
  const time = text.endsWith(' GMT') ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
