import { type FileValue, isJsonObject, storedFileOf } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { storeBinary, type StoredBody, storedShape, storeMultipart } from './stored-body.ts';

const files = createMemoryFiles();
const LARGE = Buffer.alloc(300_000, 'a\0\xff', 'latin1');

/** Returns a body that comes in pieces. */
function bodyOf(bytes: Uint8Array, contentType: string, limits: Partial<StoredBody> = {}): StoredBody {
  async function* content(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; at < bytes.length; at += 10_000) {
      await Promise.resolve();
      yield bytes.subarray(at, at + 10_000);
    }
  }
  const workspaceId = 'workspace';
  return { content: content(), contentType, workspaceId, files, maxBytes: 1_000_000, maxFieldBytes: 1_000, ...limits };
}

async function formOf(form: FormData, limits: Partial<StoredBody> = {}): Promise<StoredBody> {
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') ?? '';
  return bodyOf(new Uint8Array(await encoded.arrayBuffer()), contentType, limits);
}

/** A form with two large files of one name, fields and a small file. */
function largeForm(): FormData {
  const form = new FormData();
  form.append('title', 'ä');
  for (const name of ['a.bin', 'b.bin']) form.append('scan', new Blob([LARGE], { type: 'image/png' }), name);
  form.append('title', 'b');
  form.append('note', new Blob(['x'], { type: 'text/plain' }), 'n.txt');
  return form;
}

describe('a body whose files are stored', () => {
  it.each([
    ['application/pdf', 'auto', 'binary'],
    ['image/png; q=1', 'auto', 'binary'],
    ['application/json', 'auto', undefined],
    ['text/csv', 'auto', undefined],
    ['text/csv', 'binary', 'binary'],
    ['', 'auto', undefined],
    ['multipart/form-data; boundary=a', 'auto', 'multipart'],
    ['multipart/form-data; boundary=a', 'form', 'multipart'],
    ['multipart/form-data; boundary=a', 'text', undefined],
    ['application/x-www-form-urlencoded', 'form', undefined],
  ] as const)('of %p, read as %s, is %s', (contentType, payloadType, shape) => {
    expect(storedShape(contentType, payloadType)).toBe(shape);
  });

  it('is a file with its type', async () => {
    const value = await storeBinary(bodyOf(LARGE, 'application/pdf'));
    expect(value.file).toMatchObject({ contentType: 'application/pdf', bytes: LARGE.length, name: '' });
    expect(Buffer.from(files.bytesOf(value)).equals(LARGE)).toBe(true);
  });

  it('has the fields and the files of a form, in lists where a name occurs more than once', async () => {
    const { title, scan, note } = await storeMultipart(await formOf(largeForm()));
    expect(title).toEqual(['ä', 'b']);
    const scans = [scan ?? []].flat().map((one) => storedFileOf(one));
    expect(scans.map((file) => [file?.name, file?.contentType, file?.bytes])).toEqual([
      ['a.bin', 'image/png', LARGE.length],
      ['b.bin', 'image/png', LARGE.length],
    ]);
    const file = storedFileOf(note);
    expect(isJsonObject(note) && file?.name).toBe('n.txt');
    expect(Buffer.from(files.bytesOf({ file } as FileValue)).toString()).toBe('x');
  });

  it('is refused above its limits', async () => {
    const refused = { code: 'PAYLOAD_TOO_LARGE' };
    await expect(storeBinary(bodyOf(LARGE, 'image/png', { maxBytes: 299_999 }))).rejects.toMatchObject(refused);
    await expect(storeMultipart(await formOf(largeForm(), { maxBytes: 400_000 }))).rejects.toMatchObject(refused);
    await expect(storeMultipart(await formOf(largeForm(), { maxFieldBytes: 2 }))).rejects.toMatchObject(refused);
  });

  it('is refused when it ends within a file, is no form, or has too many parts', async () => {
    const whole = await new Response(largeForm()).arrayBuffer();
    const { contentType } = await formOf(largeForm());
    const [boundary = ''] = /(?<=boundary=).*/.exec(contentType) ?? [];
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n`;
    const invalid = { code: 'VALIDATION_FAILED' };
    for (const text of [`${part}abc`, 'nothing', `${part}\r\n`.repeat(1_001)])
      await expect(storeMultipart(bodyOf(Buffer.from(text), contentType))).rejects.toMatchObject(invalid);
    await expect(storeMultipart(bodyOf(new Uint8Array(whole), 'multipart/form-data'))).rejects.toMatchObject(invalid);
  });

  it('fails with the store, although more of it is to come', async () => {
    const full = { save: () => Promise.reject(new Error('full')) };
    await expect(storeMultipart(await formOf(largeForm(), { files: full }))).rejects.toThrow('full');
  });
});
