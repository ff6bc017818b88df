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
    expect(value.file).toMatchObject({ contentType: 'application/pdf', bytes: LARGE.length, name: 'body.pdf' });
    expect(Buffer.from(files.bytesOf(value)).equals(LARGE)).toBe(true);
  });

  it('has the fields and the files of a form, in lists where a name occurs more than once', async () => {
    const { title, scan, note } = (await storeMultipart(await formOf(largeForm()))).fields;
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

  it('is refused when it ends within a file, is not a form, or has too many parts', async () => {
    const whole = await new Response(largeForm()).arrayBuffer();
    const { contentType } = await formOf(largeForm());
    const [boundary = ''] = /(?<=boundary=).*/.exec(contentType) ?? [];
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n`;
    const invalid = { code: 'VALIDATION_FAILED' };
    for (const text of [`${part}abc`, 'nothing', `${part}\r\n`.repeat(1_001)])
      await expect(storeMultipart(bodyOf(Buffer.from(text), contentType))).rejects.toMatchObject(invalid);
    await expect(storeMultipart(bodyOf(new Uint8Array(whole), 'multipart/form-data'))).rejects.toMatchObject(invalid);
  });

  it('has the files that are admitted, up to their size, and all of its fields', async () => {
    const exceeded: string[] = [];
    const { fields } = await storeMultipart(
      await formOf(largeForm(), {
        admit: ({ field, name }) =>
          field === 'note'
            ? undefined
            : { maxBytes: name === 'a.bin' ? LARGE.length : 9, onExcess: () => exceeded.push(name) },
      }),
    );
    expect([fields.title, Object.keys(fields), exceeded]).toEqual([['ä', 'b'], ['title', 'scan'], ['b.bin']]);
    expect(storedFileOf(fields.scan)?.name).toBe('a.bin');
  });

  it('leaves no file behind once it is refused, and discards equal ones in the reverse order', async () => {
    const discarded: string[] = [];
    const stage: typeof files.stage = async (...file) => {
      const staged = await files.stage(...file);
      const { name } = staged.value.file;
      const discard = async (): Promise<void> => {
        discarded.push(`${name} begins`);
        await Promise.resolve();
        discarded.push(`${name} ends`);
      };
      return { ...staged, discard };
    };
    const form = new FormData();
    for (const name of ['a.bin', 'b.bin', 'c.bin']) form.append('scan', new Blob([LARGE]), name);
    const refused = storeMultipart(await formOf(form, { files: { ...files, stage }, maxBytes: 700_000 }));
    await expect(refused).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(discarded).toEqual(['b.bin begins', 'b.bin ends', 'a.bin begins', 'a.bin ends']);
  });

  it('is refused if one of its files was swept before the last one came', async () => {
    const keep: typeof files.keep = async (workspaceId, stored) => {
      const again = await files.stage([Buffer.from('a')], { name: 'a' });
      await again.discard();
      return files.keep(workspaceId, stored);
    };
    const form = new FormData();
    for (const name of ['a', 'b']) form.append(name, new Blob([name]), name);
    const late = storeMultipart(await formOf(form, { files: { ...files, keep } }));
    await expect(late).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('fails with the store, although more of it is to come', async () => {
    const fail = () => Promise.reject(new Error('full'));
    const full = { save: fail, stage: fail, keep: fail };
    await expect(storeMultipart(await formOf(largeForm(), { files: full }))).rejects.toThrow('full');
  });
});
