import { describe, expect, it } from '@jest/globals';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import fc from 'fast-check';
import { buffer } from 'node:stream/consumers';
import { encodeMultipart } from './multipart-form.ts';

const files = createMemoryFiles();
const encode = (fields: Parameters<typeof encodeMultipart>[0]) => encodeMultipart(fields, JSON.stringify, files);

/** Parses a form as a receiver would: with the parser of Node. */
async function parsed(fields: Parameters<typeof encodeMultipart>[0]) {
  const { body, contentType } = await encode(fields);
  const bytes = body instanceof Uint8Array ? body : await buffer(body.open());
  if (!(body instanceof Uint8Array)) expect(bytes.length).toBe(body.bytes);
  // oxlint-disable-next-line typescript/no-deprecated -- for servers, which parse what others send; this is our own
  const form = await new Response(Buffer.from(bytes), { headers: { 'content-type': contentType } }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString('base64')],
    ),
  );
}

const file = { filename: 'a.txt', contentType: 'text/plain', bytes: 2, base64: 'aGk=' };

describe('a multipart form', () => {
  it('has a part for each field and file, several for a list, and none for null', async () => {
    const fields = { title: 3, list: [['Grüße']], none: null, file, files: [file, { ...file, filename: 'b "1".txt' }] };
    expect(await parsed(fields)).toEqual([
      ['title', '3'],
      ['list', '["Grüße"]'],
      ['file', 'a.txt', 'text/plain', 'aGk='],
      ['files', 'a.txt', 'text/plain', 'aGk='],
      ['files', 'b "1".txt', 'text/plain', 'aGk='],
    ]);
  });

  it('names a file by its field if it has no name, and sends bytes of no known type as such', async () => {
    expect(await parsed({ scan: { base64: 'AP8=', contentType: 'no type' } })).toEqual([
      ['scan', 'scan', 'application/octet-stream', 'AP8='],
    ]);
  });

  it('streams files of the store, under the same boundary whenever it is sent', async () => {
    const stored = await files.save([Buffer.from('a'.repeat(5_000))], { name: 'long.txt', contentType: 'text/plain' });
    const base64 = Buffer.from('a'.repeat(5_000)).toString('base64');
    const fields = { title: 3, stored, file };
    expect(await parsed(fields)).toEqual([
      ['title', '3'],
      ['stored', 'long.txt', 'text/plain', base64],
      ['file', 'a.txt', 'text/plain', 'aGk='],
    ]);
    expect((await encode(fields)).contentType).toBe((await encode(fields)).contentType);
    const gone = { file: { ...stored.file, id: '00000000-0000-7000-8000-0000000000ff' } };
    await expect(encode({ gone })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('is read back as it was, whatever its names and bytes are, and is always the same', async () => {
    // Node decodes only quotes in names; browsers and servers differ on line breaks.
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\r\n\\%\ud800-\udfff]/u.test(text));
    const property = fc.asyncProperty(fc.dictionary(name, fc.uint8Array()), name, async (files, filename) => {
      const fields = Object.fromEntries(
        Object.entries(files).map(([field, bytes]) => [
          field,
          { filename, contentType: 'image/png', base64: Buffer.from(bytes).toString('base64') },
        ]),
      );
      expect(await parsed(fields)).toEqual(
        Object.entries(fields).map(([field, { base64 }]) => [field, filename, 'image/png', base64]),
      );
      expect(await encode(fields)).toEqual(await encode(fields));
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
