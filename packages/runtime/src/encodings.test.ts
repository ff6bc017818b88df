import { describe, expect, it } from '@jest/globals';
import { charsetOf, encodeText, headerText, UnencodableError } from './encodings.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

describe('the charset of a text', () => {
  it.each([
    ['a byte order mark wins over the content type', [0xef, 0xbb, 0xbf, 0x61], 'text/csv; charset=iso-8859-1', 'utf-8'],
    ['of UTF-16, little endian', [0xff, 0xfe, 0x61, 0], 'text/csv; charset=utf-8', 'utf-16le'],
    ['of UTF-16, big endian', [0xfe, 0xff, 0, 0x61], '', 'utf-16be'],
    ['the content type', latin1('<?xml version="1.0" encoding="UTF-8"?>'), 'text/xml; charset="koi8-r"', 'koi8-r'],
    ['an XML declaration', latin1('<?xml version="1.0" encoding="ISO-8859-1"?>'), 'application/xml', 'ISO-8859-1'],
    ['of a document type of XML', latin1("<?xml version='1.0' encoding = 'big5'?>"), 'image/svg+xml', 'big5'],
    ['no declaration in another text', latin1('<?xml version="1.0" encoding="big5"?>'), 'text/plain', 'utf-8'],
    [
      'no encoding but that of the declaration',
      latin1('<?xml version="1.0"?><a encoding="big5"/>'),
      'text/xml',
      'utf-8',
    ],
    ['a declaration that cannot be true', latin1('<?xml version="1.0" encoding="UTF-16"?>'), 'text/xml', 'utf-8'],
    ['UTF-16 of XML without a mark', utf16('<?xml version="1.0" encoding="UTF-16"?>'), 'text/xml', 'utf-16le'],
    ['the declaration of a page', latin1('<html><head><META Charset=windows-1252>'), 'text/html', 'windows-1252'],
    [
      'an older declaration of a page',
      latin1('<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">'),
      'text/html',
      'shift_jis',
    ],
    ['UTF-8 where nothing says otherwise', latin1('a'), 'text/plain', 'utf-8'],
    ['UTF-8 for nothing', [], '', 'utf-8'],
  ])('is %s', (_what, bytes, contentType, charset) => {
    expect(charsetOf(Uint8Array.from(bytes), contentType)).toBe(charset);
  });
});

describe('a header', () => {
  it.each([
    [
      'UTF-8',
      Buffer.from('attachment; filename="größe €.pdf"').toString('latin1'),
      'attachment; filename="größe €.pdf"',
    ],
    ['Latin-1', 'größe', 'größe'],
    ['ASCII', 'a=b', 'a=b'],
  ])('is read as %s', (_what, received, text) => {
    expect(headerText(received)).toBe(text);
  });
});

describe('a text that is sent', () => {
  it.each([
    ['', 'ö€', '\xc3\xb6\xe2\x82\xac'],
    ['text/plain', 'ö', '\xc3\xb6'],
    ['text/plain; charset=utf-8', 'ö', '\xc3\xb6'],
    ['text/plain; charset=ISO-8859-1', 'Jörg', 'J\xf6rg'],
    ['text/csv; charset="windows-1252"', '5 €', '5 \x80'],
    ['text/plain; charset=shift_jis', '日本', '\x93\xfa\x96\x7b'],
    ['text/plain; charset=utf-16le', 'a', 'a\0'],
    ['text/plain; charset=us-ascii', 'a', 'a'],
  ])('is encoded as its content type says: %p', async (contentType, text, bytes) => {
    expect((await encodeText(text, contentType)).toString('latin1')).toBe(bytes);
  });

  it.each([
    ['iso-8859-1', '5 €'],
    ['us-ascii', 'ö'],
    ['klingon', 'a'],
  ])('is refused where %s cannot express it', async (charset, text) => {
    await expect(encodeText(text, `text/plain; charset=${charset}`)).rejects.toThrow(UnencodableError);
  });
});
