import { fail } from '../error.ts';
import { spendText, type Run } from '../run.ts';
import { textArgument } from './arguments.ts';
import type { GlobalFunction } from './definition.ts';

const loneSurrogate = 'the text holds half a character (a lone surrogate)';
const badPercent = 'the text is not valid percent-encoding';

/** Defines a function of one text. `growth` limits how many characters each of its characters becomes. */
function ofText(
  signature: string,
  doc: string,
  growth: number,
  change: (text: string) => string,
  problem: string,
): GlobalFunction {
  const apply = (run: Run, args: Parameters<GlobalFunction['apply']>[1]): string => {
    const text = textArgument(run, args, 0);
    spendText(run, text.length * growth);
    try {
      return change(text);
    } catch {
      return fail(problem);
    }
  };
  return { signature, doc, apply };
}

/** Number of bytes converted to characters at once: each is an argument of one call. */
const chunkBytes = 8_192;

function encodeBase64(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new URIError(loneSurrogate);
  const bytes = new TextEncoder().encode(text);
  let characters = '';
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    characters += String.fromCharCode(...bytes.subarray(start, start + chunkBytes));
  }
  return btoa(characters);
}

function decodeBase64(text: string): string {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(standard), (c) => c.charCodeAt(0)));
}

/** Functions that encode text for URLs and as base64. */
export const encodings: readonly GlobalFunction[] = [
  ofText(
    'encodeURIComponent(text: string): string',
    'Encoded for a part of an address.',
    9,
    encodeURIComponent,
    loneSurrogate,
  ),
  ofText(
    'decodeURIComponent(text: string): string',
    'The text that was encoded so.',
    1,
    decodeURIComponent,
    badPercent,
  ),
  ofText(
    'encodeURI(text: string): string',
    'A whole address with its odd characters encoded.',
    9,
    encodeURI,
    loneSurrogate,
  ),
  ofText('decodeURI(text: string): string', 'The address that was encoded so.', 1, decodeURI, badPercent),
  ofText('base64Encode(text: string): string', 'The UTF-8 bytes of a text as base64.', 4, encodeBase64, loneSurrogate),
  ofText(
    'base64Decode(text: string): string',
    'The text of base64 (also base64url) that holds UTF-8.',
    3,
    decodeBase64,
    'the text is not base64 of UTF-8 text',
  ),
];
