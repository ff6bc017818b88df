/** Texts below this length use the native search, which takes microseconds for any needle. */
const MAX_NATIVE_LENGTH = 1_024;

/**
 * Returns where `needle` first occurs in `text` at or after `from`, or -1, as `String.prototype.indexOf` does. Its
 * time is proportional to the sum of both lengths (Knuth, Morris and Pratt), where that of the native search can be to
 * their product: minutes for a needle of 100,000 characters.
 */
export function indexOfText(text: string, needle: string, from = 0): number {
  if (needle.length <= 1 || text.length < MAX_NATIVE_LENGTH) return text.indexOf(needle, from);
  if (text.length - from < needle.length) return -1;
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = Math.max(0, Math.trunc(from) || 0); at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== needle.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === needle.charCodeAt(matched)) matched += 1;
    if (matched === needle.length) return at - matched + 1;
  }
  return -1;
}

/** For every prefix of `needle`, the length of its longest proper prefix that is also its suffix. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at += 1) {
    const code = needle.charCodeAt(at);
    while (length > 0 && code !== needle.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (code === needle.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** Replaces every occurrence of `needle`, which must not be empty, in linear time. */
export function replaceAllText(text: string, needle: string, replacement: string): string {
  const parts: string[] = [];
  let end = 0;
  for (let at = indexOfText(text, needle); at !== -1; at = indexOfText(text, needle, end)) {
    parts.push(text.slice(end, at), replacement);
    end = at + needle.length;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(end);
}
