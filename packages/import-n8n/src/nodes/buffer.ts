import { unsupported } from '../unsupported.ts';
import type { Script } from './script.ts';

/** Functions of Node.js that scripts have here, too. */
const FUNCTIONS = new Set(['Buffer.from', 'Buffer.concat', 'Buffer.byteLength', 'Buffer.isBuffer', 'Buffer.alloc']);

/** Methods of buffers that they lack here. */
const METHODS =
  /^(?:(?:read|write)(?:U?Int|Big|Float|Double).*|write|compare|copy|equals|latin1Slice|swap\d+|utf8Slice)$/;

/** Returns JavaScript for the class `Buffer` of Node.js. @throws UnsupportedError if the script needs more of it. */
export function bufferOf({ members, reads }: Script, review: (message: string) => void): readonly string[] {
  review('Buffer is read as utf8, base64, hex and latin1 here, and fails for base64 or hex that is not complete');
  const other = [...members].find((each) => each.startsWith('Buffer.') && !FUNCTIONS.has(each));
  const method = [...reads].find((each) => METHODS.test(each));
  if (other !== undefined || method !== undefined) return unsupported(`the script uses "${other ?? method ?? ''}"`);
  return BUFFER;
}

const BUFFER = [
  '// Text in UTF-8, as bytes that are characters up to 255.',
  'const utf8 = (text) => unescape(encodeURIComponent(text.toWellFormed()));',
  '// As the standard decoder, with U+FFFD for what is not UTF-8.',
  'const decoded = (bytes) => {',
  "  let text = '';",
  '  let [needed, code, lower, upper] = [0, 0, 0x80, 0xbf];',
  '  for (let at = 0; at < bytes.length; at += 1) {',
  '    const byte = bytes.charCodeAt(at);',
  '    if (needed === 0) {',
  '      if (byte < 0x80) text += bytes[at];',
  "      else if (byte < 0xc2 || byte > 0xf4) text += '\\ufffd';",
  '      else {',
  '        needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;',
  '        code = byte & (0x3f >> needed);',
  '        lower = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;',
  '        upper = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;',
  '      }',
  '    } else if (byte < lower || byte > upper) {',
  '      [text, needed, lower, upper, at] = [`${text}\\ufffd`, 0, 0x80, 0xbf, at - 1];',
  '    } else {',
  '      [code, needed, lower, upper] = [(code << 6) | (byte & 0x3f), needed - 1, 0x80, 0xbf];',
  '      if (needed === 0) text += String.fromCodePoint(code);',
  '    }',
  '  }',
  '  return needed === 0 ? text : `${text}\\ufffd`;',
  '};',
  'const ofBase64 = (text) => {',
  "  const digits = text.replace(/\\s/g, '').replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');",
  "  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) throw new Error('the text is not base64');",
  '  return atob(digits);',
  '};',
  'const ofHex = (text) => {',
  "  if (!/^(?:[0-9A-Fa-f]{2})*$/.test(text)) throw new Error('the text is not hex');",
  '  return text.replace(/../g, (pair) => String.fromCharCode(parseInt(pair, 16)));',
  '};',
  "const toHex = (bytes) => bytes.replace(/[^]/g, (each) => each.charCodeAt(0).toString(16).padStart(2, '0'));",
  'const CODES = {',
  '  utf8: [utf8, decoded],',
  '  base64: [ofBase64, btoa],',
  '  hex: [ofHex, toHex],',
  '  latin1: [(text) => text, (bytes) => bytes],',
  '};',
  "CODES.base64url = [CODES.base64[0], (bytes) => btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')];",
  "CODES['utf-8'] = CODES.utf8;",
  'CODES.binary = CODES.latin1;',
  'const codeOf = (encoding) => {',
  '  const code = CODES[String(encoding).toLowerCase()];',
  '  if (!code) throw new Error(`the encoding ${encoding} is not available here`);',
  '  return code;',
  '};',
  'class Buffer extends Uint8Array {',
  "  static from(value, encoding = 'utf8') {",
  "    if (typeof value !== 'string') return Uint8Array.from.call(Buffer, value?.type === 'Buffer' ? value.data : value);",
  '    const bytes = codeOf(encoding)[0](value);',
  '    return Uint8Array.from.call(Buffer, { length: bytes.length }, (_, at) => bytes.charCodeAt(at));',
  '  }',
  '  static alloc(length) { return new Buffer(length); }',
  '  static concat(list) { return Buffer.from(list.flatMap((each) => [...each])); }',
  "  static byteLength(value, encoding) { return typeof value === 'string' ? Buffer.from(value, encoding).length : value.byteLength; }",
  '  static isBuffer(value) { return value instanceof Buffer; }',
  "  toString(encoding = 'utf8') { return codeOf(encoding)[1](Array.from(this, (each) => String.fromCharCode(each)).join('')); }",
  "  toJSON() { return { type: 'Buffer', data: Array.from(this) }; }",
  '}',
];
