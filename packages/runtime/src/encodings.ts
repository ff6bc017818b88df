import { isUtf8 } from 'node:buffer';
import { parse } from 'content-type';

/** Matches media types of documents that declare their encoding themselves if their label does not (RFC 7303, 3). */
const XML = /[/+]xml\b/;
/** Number of bytes in which a document declares its encoding (HTML, "prescan a byte stream"). */
const DECLARATION_BYTES = 1_024;
const XML_DECLARATION = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]+)/;
const HTML_DECLARATION = /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i;
/** Matches any character beyond ASCII. */
const NON_ASCII = /[^\0-\x7f]/;
/** WHATWG Encoding calls this encoding by many names, all of which are ASCII-compatible. */
const UTF_16_LABEL = /^(?:utf-?16|ucs-?2|unicode$|iso-10646)/i;

/** The charset that a text needs has no code for one of its characters, or is not known. */
export class UnencodableError extends Error {}

/**
 * Returns the charset of a text in bytes: that of its byte order mark, otherwise that of the content type, otherwise
 * the one that an XML or HTML document declares, otherwise UTF-8 (WHATWG Encoding, "decode"; RFC 7303, 3).
 * @returns a label that may be unknown.
 */
export function charsetOf(bytes: Uint8Array, contentType: string): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (contentType === '') return 'utf-8';
  const { type, parameters } = parse(contentType);
  const { charset = '' } = parameters;
  return charset === '' ? (declaredCharset(bytes, type) ?? 'utf-8') : charset;
}

function declaredCharset(bytes: Uint8Array, type: string): string | undefined {
  const isXml = XML.test(type);
  if (!isXml && type !== 'text/html') return undefined;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, DECLARATION_BYTES));
  const text = start.toString('latin1');
  // XML 1.0, appendix F: without a mark, its first character tells UTF-16.
  if (isXml && text.startsWith('<\0')) return 'utf-16le';
  if (isXml && text.startsWith('\0<')) return 'utf-16be';
  const label = (XML_DECLARATION.exec(isXml || type.endsWith('+xml') ? text : '') ?? HTML_DECLARATION.exec(text))?.[1];
  // A declaration that is readable as ASCII is not in UTF-16.
  return label === undefined || UTF_16_LABEL.test(label) ? undefined : label;
}

/**
 * Returns the value of a received header, whose bytes arrive as Latin-1: as UTF-8 if that is what it is, otherwise
 * unchanged (RFC 9110, 5.5 leaves the encoding open).
 */
export function headerText(value: string): string {
  if (!NON_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** Returns the charset that a content type names, unless it is UTF-8 or names none. */
export function foreignCharset(contentType: string): string | undefined {
  if (!contentType.includes('=')) return undefined;
  const { charset } = parse(contentType).parameters;
  return charset === undefined || /^utf-?8$/i.test(charset) ? undefined : charset;
}

/**
 * Encodes a text in the charset that its content type names, UTF-8 without one.
 * @throws UnencodableError
 */
export async function encodeText(text: string, contentType: string): Promise<Buffer> {
  const charset = foreignCharset(contentType);
  if (charset === undefined) return Buffer.from(text);
  // Loaded on first use: most texts are sent as UTF-8.
  const { default: iconv } = await import('iconv-lite');
  // A named type, since the guard would leave no type for other charsets.
  const isKnown: boolean = iconv.encodingExists(charset);
  if (!isKnown) throw new UnencodableError(`the charset ${charset} is not known`);
  const bytes = iconv.encode(text, charset, { addBOM: /^utf-?16$/i.test(charset) });
  // Characters that the charset lacks would become question marks.
  if (iconv.decode(bytes, charset) === text) return bytes;
  throw new UnencodableError(`the text has a character that the charset ${charset} lacks`);
}

/** Content codings of the IANA registry, and their aliases (RFC 9110, 8.4.1). */
const CODINGS = new Set(
  'aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd'.split(' '),
);

/**
 * Returns the codings of a Content-Encoding header that change the bytes of a body, in lower case, in the order in
 * which they were applied. Values that are not codings, such as `utf-8` and `aws-chunked`, are labels without effect.
 */
export function contentCodings(header: string | undefined): string[] {
  if (header === undefined) return [];
  return header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => CODINGS.has(coding));
}
