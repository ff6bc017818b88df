/** Shorter texts, in characters, are cheap however pg escapes them. */
const LONG_CHARS = 16_384;

/** Characters that JSON escapes and array literals do not. */
// oxlint-disable-next-line no-control-regex -- JSON escapes control characters, array literals do not
const ESCAPED_BY_JSON_ALONE = /[\u0000-\u001f\ud800-\udfff]/;

/**
 * Writes a parameter of a statement as an array literal that PostgreSQL parses. pg escapes the texts of an array by
 * regular expressions, which blocks the event loop for 1.5 s for ten megabytes of quotes; the escaping of JSON takes 40
 * ms.
 * @param value any parameter.
 * @returns an array literal for a list with a long text; any other value unchanged.
 */
export function writeLongTexts(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const list: readonly unknown[] = value;
  if (!list.some((item) => typeof item === 'string' && item.length >= LONG_CHARS)) return value;
  return list.every(isPlain) ? `{${list.map(quote).join()}}` : value;
}

type Plain = string | number | boolean | null | undefined;

function isPlain(item: unknown): item is Plain {
  return item === null || item === undefined || ['string', 'number', 'boolean'].includes(typeof item);
}

/** An element of an array literal (PostgreSQL, 8.15.6): in quotes, with quotes and backslashes escaped. */
function quote(item: Plain): string {
  if (item === null || item === undefined) return 'NULL';
  const text = String(item);
  if (!ESCAPED_BY_JSON_ALONE.test(text)) return JSON.stringify(text);
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
