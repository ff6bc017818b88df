/** Request headers with secrets of senders, in lower case. Runs keep them, but their values are never shown. */
export const MASKED_HEADERS: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'x-webhook-secret',
];

const MASK = '"********"';

/** Matches the start of an object of headers in compact JSON. Inside a string, its quotes would be escaped. */
const HEADERS = '"headers":{';

/** Matches a value that is neither a string, an array nor an object. */
const SCALAR = /[-+.\w]+/y;

/**
 * Masks the values of `MASKED_HEADERS`, in any case, in every object that is called `headers`. Takes compact JSON, as
 * written by `JSON.stringify`, and time proportional to its length.
 */
export function maskHeaders(json: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = json.indexOf(HEADERS); at !== -1; at = json.indexOf(HEADERS, at + 1)) {
    for (const { name, start, end } of membersFrom(json, at + HEADERS.length)) {
      if (start < copied || !MASKED_HEADERS.includes(name.toLowerCase())) continue;
      parts.push(json.slice(copied, start), MASK);
      copied = end;
    }
  }
  return copied === 0 ? json : parts.join('') + json.slice(copied);
}

/** Returns the first members of an object, up to one with an array or object: their names, starts and ends. */
function* membersFrom(json: string, from: number): Generator<{ name: string; start: number; end: number }> {
  let next = from;
  while (json[next] === '"') {
    const nameEnd = endOfString(json, next);
    const start = nameEnd + 1;
    if (json[nameEnd] !== ':') return;
    const end = json[start] === '"' ? endOfString(json, start) : endOfScalar(json, start);
    if (end === start) return;
    yield { name: json.slice(next + 1, nameEnd - 1), start, end };
    next = end + 1;
  }
}

/** Returns the index after the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return json.length;
}

function endOfScalar(json: string, start: number): number {
  SCALAR.lastIndex = start;
  return SCALAR.test(json) ? SCALAR.lastIndex : start;
}
