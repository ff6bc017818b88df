import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Maximum length of text that is checked against a format, in characters. Formats are regular expressions. */
const MAX_FORMAT_CHARS = 10_000;

/** Returns true for an e-mail address. */
export const isEmail = toCheck(fullFormats.email);

/** Returns true for a URI, which has a scheme. */
export const isUri = toCheck(fullFormats.uri);

function toCheck(format: (typeof fullFormats)[keyof typeof fullFormats]): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => text.length <= MAX_FORMAT_CHARS && format.test(text);
  if (typeof format === 'function') return (text) => text.length <= MAX_FORMAT_CHARS && format(text);
  throw new Error('a format is neither a pattern nor a function');
}
