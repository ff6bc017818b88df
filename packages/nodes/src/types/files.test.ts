import { describe, expect, it } from '@jest/globals';
import { type FileValue, isJsonObject, type JsonValue, storedFileOf } from '@deckhand/contracts';
import type { NodeFiles } from '@deckhand/engine';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import { loadNodeTypes } from '../load-node-types.ts';

const types = await loadNodeTypes();
const files = createMemoryFiles();

/** Runs a node. @returns its output. */
async function run(type: string, parameters: JsonValue): Promise<JsonValue> {
  const outcome = await types.get(type)?.run(parameters, nodeContext({ files }));
  if (outcome?.kind !== 'output') throw new Error('the node has no output');
  return outcome.output;
}

async function save(content: string | Uint8Array, name = 'a.csv', contentType = 'text/csv'): Promise<FileValue> {
  return files.save([Buffer.from(content)], { name, contentType });
}

/** Returns a value as that of a file. */
function storedValue(value: JsonValue | undefined): FileValue {
  const file = storedFileOf(value);
  if (!file) throw new Error('the value is not a file');
  return { file };
}

/** Returns the bytes of a file. */
function bytesOf(value: JsonValue | undefined): Buffer {
  return Buffer.from(files.bytesOf(storedValue(value)));
}

describe('a file', () => {
  it('may be stored, or its metadata alone, or in base64', async () => {
    const inline = { base64: Buffer.from('a\n1').toString('base64'), contentType: 'text/csv' };
    const stored = await save('a\n1');
    for (const file of [stored, stored.file, inline]) {
      expect(await run('csv', { operation: 'parse', file })).toEqual([{ a: '1' }]);
      expect(await run('hash', { file })).toEqual(await run('hash', { data: 'a\n1' }));
    }
  });

  it.each([
    ['csv', { operation: 'parse', file: { id: 1 } }],
    ['zip', { operation: 'list', file: { file: {} } }],
    ['hash', { file: { base64: 'a' } }],
    ['csv', { operation: 'parse', file: { from: 1 } }],
  ])('of %s is nothing else', async (type, parameters) => {
    await expect(run(type, parameters)).rejects.toMatchObject({ code: 'PARAMETERS_INVALID', isRetryable: false });
  });

  it('of another workspace does not exist', async () => {
    const file = { file: { ...(await save('')).file, id: '01890a5d-ac96-774b-bcce-b302099a8057' } };
    for (const type of ['csv', 'json', 'xml'])
      await expect(run(type, { operation: 'parse', file })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});

describe('a file whose value has a made-up length', () => {
  const LONG = 20_000_001;
  const files = createMemoryFiles();
  let pieces = 0;
  const counted: NodeFiles = {
    ...files,
    async open(file, range) {
      const { bytes, content } = await files.open(file, range);
      async function* read(): AsyncGenerator<Uint8Array> {
        for await (const piece of content) {
          pieces += 1;
          yield piece;
        }
      }
      return { bytes, content: read() };
    },
  };
  const made = ({ file }: FileValue): FileValue => ({ file: { ...file, bytes: 1 } });
  const runWith = (type: string, parameters: JsonValue): Promise<unknown> =>
    Promise.resolve(types.get(type)?.run(parameters, nodeContext({ files: counted })));

  it('is refused before it is read', async () => {
    const { file } = made(await files.save([Buffer.alloc(LONG)], { name: 'a.csv' }));
    const workbook = made(await files.save([Buffer.alloc(52_428_801)], { name: 'a.xlsx' }));
    for (const [type, parameters, code] of [
      ['text', { operation: 'read', file: { file } }, 'TEXT_TOO_LARGE'],
      ['csv', { operation: 'parse', file: { file } }, 'TEXT_TOO_LARGE'],
      ['csv', { operation: 'parse', file: { file, from: 0, until: 5e9, headerBytes: 0 } }, 'TEXT_TOO_LARGE'],
      ['csv', { operation: 'parse', file: { file, from: 0, until: 1, headerBytes: LONG } }, 'TEXT_TOO_LARGE'],
      ['xlsx', { operation: 'read', file: workbook }, 'FILE_LIMIT'],
      ['document', { file: workbook, format: 'pdf' }, 'FILE_LIMIT'],
    ] as const) {
      pieces = 0;
      await expect(runWith(type, parameters)).rejects.toMatchObject({ code });
      // The batch begins with a look for the byte order mark.
      expect(pieces).toBeLessThanOrEqual(1);
    }
  });

  it('is read as long as it is', async () => {
    const text = 'a\n1';
    const value = made(await save(text));
    expect(await run('csv', { operation: 'parse', file: value })).toEqual([{ a: '1' }]);
    const archive = await run('zip', { operation: 'create', files: [value] });
    const extracted = await run('zip', { operation: 'extract', file: made(storedValue(archive)) });
    expect(extracted).toMatchObject({ files: [{ file: { bytes: text.length } }] });
  });
});

describe('a file in a charset whose second bytes may be ASCII', () => {
  it.each(['shift_jis', 'gbk', 'gb18030', 'big5', 'euc-kr'])('%s is not split by one of them', async (charset) => {
    const parameters = { operation: 'split', file: await save('a|b\n1|2'), charset };
    const split = run('csv', { ...parameters, delimiter: '|' });
    await expect(split).rejects.toMatchObject({ code: 'PARAMETERS_INVALID', isRetryable: false });
    expect(await run('csv', { ...parameters, delimiter: ';' })).toMatchObject([{ rows: 1 }]);
  });
});

describe('text of a file', () => {
  it.each([
    ['utf-8', Buffer.from('Grüße €'), {}],
    ['utf-8 with a mark', Buffer.from('\uFEFFGrüße €'), {}],
    ['utf-16le with a mark', Buffer.from('\uFEFFGrüße €', 'utf16le'), {}],
    ['a given charset', Buffer.from('Gr\xfc\xdfe \x80', 'latin1'), { charset: 'windows-1252' }],
  ])('is decoded in %s', async (_, bytes, parameters) => {
    const file = await save(bytes, 'a.txt', 'text/plain');
    expect(await run('text', { operation: 'read', file, ...parameters })).toEqual({ text: 'Grüße €' });
    const converted = await run('text', { operation: 'convert', file, ...parameters });
    expect(bytesOf(converted).toString()).toBe('Grüße €');
  });

  it('is decoded in the charset of its media type', async () => {
    const file = await save(Buffer.from('\xfc', 'latin1'), 'a.txt', 'text/plain; charset=iso-8859-15');
    expect(await run('text', { operation: 'read', file })).toEqual({ text: 'ü' });
  });

  it('is written in a charset that has its characters', async () => {
    const write = { operation: 'write', text: 'Grüße €', charset: 'windows-1252', fileName: 'b.txt' };
    const value = await run('text', write);
    expect(bytesOf(value).toString('latin1')).toBe('Gr\xfc\xdfe \x80');
    expect(storedFileOf(value)).toMatchObject({ name: 'b.txt', contentType: 'text/plain; charset=windows-1252' });
    for (const charset of ['iso-8859-1', 'klingon'])
      await expect(run('text', { ...write, charset })).rejects.toMatchObject({ code: 'PARAMETERS_INVALID' });
  });

  it('is joined as it is', async () => {
    const joined = await run('text', { operation: 'join', files: [await save('a\n'), await save('b\n', 'b.csv')] });
    expect(bytesOf(joined).toString()).toBe('a\nb\n');
    expect(storedFileOf(joined)).toMatchObject({ name: 'a.csv', contentType: 'text/csv' });
  });

  it('is not read when it is too long', async () => {
    const file = await save(Buffer.alloc(5_000_001, 'a'));
    await expect(run('text', { operation: 'read', file })).rejects.toMatchObject({ code: 'TEXT_TOO_LARGE' });
  });
});

describe('batches of rows', () => {
  const table = `id,text\r\n${Array.from({ length: 25 }, (_, id) => `${id},"a\n""${id}"""\r\n`).join('')}`;

  it.each([
    ['utf-8', table],
    ['utf-8 with a mark', `\uFEFF${table}`],
  ])('of a CSV in %s are together what it has', async (_, text) => {
    const file = await save(text);
    const batches = await run('csv', { operation: 'split', file, rows: 10 });
    expect(batches).toMatchObject([{ firstRow: 1, rows: 10 }, { rows: 10 }, { firstRow: 21, rows: 5 }]);
    const parts: JsonValue[] = [];
    for (const batch of Array.isArray(batches) ? batches : [])
      parts.push(await run('csv', { operation: 'parse', file: batch }));
    expect(parts.flat()).toEqual(await run('csv', { operation: 'parse', text }));
  });

  it('of JSON Lines are together what they have', async () => {
    const text = Array.from({ length: 5 }, (_, id) => `{"id":${id},"text":"\\n\\"ü"}\n`).join('\n');
    const file = { base64: Buffer.from(text).toString('base64'), contentType: 'application/jsonl' };
    const batches = await run('json', { operation: 'split', file, rows: 2 });
    const parts: JsonValue[] = [];
    for (const batch of Array.isArray(batches) ? batches : [])
      parts.push(await run('json', { operation: 'parse', lines: true, file: batch }));
    expect(parts).toHaveLength(3);
    expect(parts.flat()).toEqual(await run('json', { operation: 'parse', lines: true, text }));
  });

  it('are not found in charsets in which bytes of lines are parts of other characters', async () => {
    const file = await save(Buffer.from('\uFEFFa\n1', 'utf16le'));
    await expect(run('csv', { operation: 'split', file })).rejects.toMatchObject({
      code: 'PARAMETERS_INVALID',
      message: expect.stringContaining('utf-16le'),
    });
  });
});

describe('the loop over a large table of docs/files.md', () => {
  const page = readFileSync(new URL('../../../../docs/files.md', import.meta.url), 'utf8');
  const definition: unknown = parse(/```yaml\n(nodes:[^`]+)```/.exec(page)?.[1] ?? '');

  it('writes the rows of all batches in their order', async () => {
    const rows = Array.from({ length: 2_500 }, (_, id) => `${id},"a, ${id}"\n`).join('');
    const trigger = { table: await save(`id,text\n${rows}`) };
    const { ending, last } = await runInMemory(definition, { trigger, services: { files: () => files } });
    expect(ending).toMatchObject({ kind: 'success' });
    expect(last.get('batches/')?.output).toHaveLength(3);
    expect(bytesOf(last.get('result/')?.output).toString()).toBe(rows);
  });
});

describe('data in files', () => {
  it('is written by the nodes of its format', async () => {
    const items = [{ id: 1, name: 'Ada' }];
    const csv = await run('csv', { operation: 'write', items, to: 'file', fileName: 'b.csv' });
    expect(storedFileOf(csv)).toMatchObject({ name: 'b.csv', contentType: 'text/csv' });
    expect(bytesOf(csv).toString()).toBe('id,name\n1,Ada\n');
    const json = await run('json', { operation: 'write', value: items, to: 'file', lines: true });
    expect(storedFileOf(json)).toMatchObject({ name: 'data.jsonl', contentType: 'application/jsonl' });
    expect(bytesOf(json).toString()).toBe('{"id":1,"name":"Ada"}\n');
    const xml = await run('xml', { operation: 'write', value: { a: 'ü' }, to: 'file', charset: 'iso-8859-1' });
    expect(bytesOf(xml).toString('latin1')).toBe('<a>ü</a>');
    expect(await run('xml', { operation: 'parse', file: xml })).toEqual({ a: 'ü' });
  });

  it.each(['{', '{"a":1} x', ''])('is not JSON: %j', async (text) => {
    await expect(run('json', { operation: 'parse', text })).rejects.toMatchObject({ code: 'JSON_INVALID' });
  });

  it('names the line that is not JSON', async () => {
    await expect(run('json', { operation: 'parse', lines: true, text: '1\n\n,\n' })).rejects.toMatchObject({
      code: 'JSON_INVALID',
      message: expect.stringContaining('line 3'),
    });
  });
});

describe('archives', () => {
  it('have the files that were packed, under names that differ', async () => {
    const [a, b] = [await save('one', 'a.txt'), await save('two', 'a.txt')];
    const archive = await run('zip', { operation: 'create', files: [a, b, { name: 'x/ü.csv', ...b }] });
    expect(await run('zip', { operation: 'list', file: archive })).toMatchObject({
      entries: [{ name: 'a.txt', bytes: 3 }, { name: 'a (2).txt' }, { name: 'x/ü.csv' }],
    });
    const all = await run('zip', { operation: 'extract', file: archive });
    expect(all).toMatchObject({ names: ['a.txt', 'a (2).txt', 'x/ü.csv'] });
    const some = await run('zip', { operation: 'extract', file: archive, names: ['x/ü.csv'] });
    const [extracted] = isJsonObject(some) && Array.isArray(some.files) ? some.files : [];
    expect(bytesOf(extracted).toString()).toBe('two');
    expect(storedFileOf(extracted)).toMatchObject({ name: 'ü.csv', contentType: 'text/csv' });
  });

  it('with names that lead out of them are neither made nor read', async () => {
    const file = await save('x', 'b.txt');
    for (const name of ['../a', '/etc/passwd', 'C:/a'])
      await expect(run('zip', { operation: 'create', files: [{ name, ...file }] })).rejects.toMatchObject({
        code: 'PARAMETERS_INVALID',
      });
    const archive = bytesOf(await run('zip', { operation: 'create', files: [{ name: 'aa/a', ...file }] }));
    const hostile = await save(Buffer.from(archive.toString('latin1').replaceAll('aa/a', '../a'), 'latin1'));
    await expect(run('zip', { operation: 'extract', file: hostile })).rejects.toMatchObject({ code: 'FILE_INVALID' });
  });

  it('are compressed and decompressed', async () => {
    const packed = await run('gzip', { operation: 'compress', file: await save('abc', 'a.csv') });
    expect(storedFileOf(packed)).toMatchObject({ name: 'a.csv.gz', contentType: 'application/gzip' });
    const unpacked = await run('gzip', { operation: 'decompress', file: packed });
    expect(storedFileOf(unpacked)).toMatchObject({ name: 'a.csv', contentType: 'text/csv' });
    expect(bytesOf(unpacked).toString()).toBe('abc');
  });

  it('with too much in them are not decompressed', async () => {
    const bomb = await save(gzipSync(Buffer.alloc(10_000_000)));
    await expect(run('gzip', { operation: 'decompress', file: bomb, maxBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'FILE_LIMIT',
      isRetryable: false,
    });
    const archive = await run('zip', { operation: 'create', files: [await save(Buffer.alloc(10_000_000))] });
    await expect(run('zip', { operation: 'extract', file: archive, maxBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'FILE_LIMIT',
    });
  });

  it.each([
    ['zip', { operation: 'list' }],
    ['zip', { operation: 'extract' }],
    ['gzip', { operation: 'decompress' }],
    ['document', {}],
  ])('%s says that a file is of another format', async (type, parameters) => {
    await expect(run(type, { ...parameters, file: await save('hello') })).rejects.toMatchObject({
      code: 'FILE_INVALID',
      isRetryable: false,
    });
  });
});
