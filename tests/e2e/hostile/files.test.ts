import { describe, expect, it } from '@jest/globals';
import { type FileValue, type JsonValue, storedFileOf } from '@deckhand/contracts';
import { loadNodeTypes } from '@deckhand/nodes';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { deflateSync, gzipSync } from 'node:zlib';
import { type ArchiveParts, pdf, png, wordParts, workbookParts } from '../../harness/documents.ts';
import { nodeContext } from '../../harness/node-context.ts';

const types = await loadNodeTypes();
const files = createMemoryFiles();
const limit = { code: 'FILE_LIMIT', isRetryable: false };
const invalid = { code: 'FILE_INVALID', isRetryable: false };

/** Runs a node. @returns its output. */
async function run(type: string, parameters: JsonValue): Promise<JsonValue> {
  const outcome = await types.get(type)?.run(parameters, nodeContext({ files }));
  if (outcome?.kind !== 'output') throw new Error('the node has no output');
  return outcome.output;
}

const save = (content: string | Uint8Array) => files.save([Buffer.from(content)], { name: 'a', contentType: '' });

async function zip(parts: ArchiveParts): Promise<JsonValue> {
  const entries = Object.entries(parts).map(async ([name, text]) => ({ name, ...(await save(text)) }));
  return run('zip', { operation: 'create', files: await Promise.all(entries) });
}

/** Returns what a node fails with, or its output. */
const outcomeOf = (type: string, parameters: JsonValue): Promise<unknown> =>
  run(type, parameters).catch((error: unknown) => error);

describe('a hostile archive ends its node', () => {
  it('with an endless content', async () => {
    const bomb = await save(gzipSync(Buffer.alloc(200_000_000)));
    expect(await outcomeOf('gzip', { operation: 'decompress', file: bomb, maxBytes: 100_000_000 })).toMatchObject(
      limit,
    );
    const archive = await zip({ 'a.txt': 'a'.repeat(200_000_000) });
    expect(await outcomeOf('zip', { operation: 'extract', file: archive, maxBytes: 100_000_000 })).toMatchObject(limit);
  });

  it('with an entry that has more bytes than it says', async () => {
    const archive = Buffer.from(files.bytesOf(fileOf(await zip({ 'a.txt': 'a'.repeat(1_000_000) }))));
    const at = archive.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    archive.writeUInt32LE(10, at + 24);
    expect(await outcomeOf('zip', { operation: 'extract', file: await save(archive) })).toMatchObject(invalid);
  });

  it('with too many entries', async () => {
    const archive = Buffer.from(files.bytesOf(fileOf(await zip({ a: '' }))));
    const from = archive.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
    const to = archive.indexOf(Buffer.from('PK\x05\x06', 'latin1'));
    const count = 60_000;
    const list = Buffer.concat(Array.from({ length: count }, () => archive.subarray(from, to)));
    const end = Buffer.from(archive.subarray(to));
    end.writeUInt16LE(count, 8);
    end.writeUInt16LE(count, 10);
    end.writeUInt32LE(list.length, 12);
    const many = Buffer.concat([archive.subarray(0, from), list, end]);
    for (const operation of ['list', 'extract'])
      expect(await outcomeOf('zip', { operation, file: await save(many) })).toMatchObject(limit);
    // Fewer than there are, and entries that are not there.
    end.writeUInt16LE(15_000, 10);
    const missing = Buffer.concat([archive.subarray(0, to), end]);
    expect(await outcomeOf('zip', { operation: 'list', file: await save(missing) })).toMatchObject(invalid);
  });

  it.each(['../../etc/passwd', '/etc/passwd', 'C:/windows'])('with the name %s', async (name) => {
    const harmless = 'a'.repeat(name.length);
    const archive = Buffer.from(files.bytesOf(fileOf(await zip({ [harmless]: 'x' })))).toString('latin1');
    const hostile = await save(Buffer.from(archive.replaceAll(harmless, name), 'latin1'));
    for (const operation of ['list', 'extract'])
      expect(await outcomeOf('zip', { operation, file: hostile })).toMatchObject(invalid);
  });
});

describe('a hostile workbook ends its node', () => {
  it.each([
    ['with one cell after 10^10 empty ones', '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'],
    ['with a row of 10^9', '<row r="1000000000"><c r="A1000000000"><v>1</v></c></row>'],
    [
      'with a text of 150 MB',
      `<row r="1"><c r="A1" t="inlineStr"><is><t>${'x'.repeat(150_000_000)}</t></is></c></row>`,
    ],
    ['with ten million cells', `<row r="1">${'<c r="B1"><v>1</v></c>'.repeat(10_000_000)}</row>`],
  ])('%s', async (_, rows) => {
    const file = await zip(workbookParts(`<row r="1"><c r="A1"><v>1</v></c></row>${rows}`));
    expect(await outcomeOf('xlsx', { operation: 'read', file, to: 'csv' })).toMatchObject(limit);
  });
});

describe('a hostile document ends its node', () => {
  it('with entities that multiply', async () => {
    const entities = Array.from({ length: 12 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join('');
    const type = `<!DOCTYPE w [<!ENTITY e0 "lol">${entities}]>`;
    const file = await zip(wordParts('<w:p><w:r><w:t>&e12;</w:t></w:r></w:p>', type));
    expect(await outcomeOf('document', { file })).toMatchObject(invalid);
    const xml = await save(`${type}<a>&e12;</a>`);
    expect(await outcomeOf('xml', { operation: 'parse', file: xml })).toMatchObject({
      code: 'XML_INVALID',
      isRetryable: false,
    });
  });

  it('with five million texts', async () => {
    const file = await zip(wordParts(`<w:p>${'<w:r><w:t>x</w:t></w:r>'.repeat(5_000_000)}</w:p>`));
    expect(await outcomeOf('document', { file })).toMatchObject(limit);
  });

  it('with a page that is compressed a thousandfold', async () => {
    const text = deflateSync(Buffer.alloc(500_000_000, 'BT /F1 9 Tf (a) Tj ET\n'));
    const file = await save(pdf(text, { filter: '/Filter/FlateDecode' }));
    expect(await outcomeOf('document', { file })).toMatchObject(limit);
  });

  it('unless its pages draw, or are, themselves: each is read once', async () => {
    const form =
      '6 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>/Length 11>>stream\n/X Do /X Do\nendstream endobj';
    const loop = pdf('').toString().replace('/Kids[3 0 R]/Count 1', '/Kids[2 0 R 2 0 R]/Count 999999999');
    for (const bytes of [pdf('/X Do', { objects: form }), loop])
      expect(await outcomeOf('document', { file: await save(bytes) })).toMatchObject({ text: '', pages: 1 });
  });

  it('unless it has tags within tags, of which the outer ones are read', async () => {
    const file = await save(`<html>a${'<div>'.repeat(20_000)}b`);
    expect(await outcomeOf('document', { file, format: 'html' })).toMatchObject({ text: expect.stringMatching(/^a/) });
  });
});

describe('a hostile image ends its node', () => {
  it.each([
    ['of 10^5 x 10^5 pixels', png(100_000, 100_000, Buffer.alloc(100))],
    ['of 16,000 x 16,000 pixels', png(16_000, 16_000)],
  ])('%s', async (_, bytes) => {
    expect(await outcomeOf('image', { file: await save(bytes), width: 10 })).toMatchObject(limit);
  });

  it('that is a program', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><image href="/etc/passwd"/></svg>`;
    expect(await outcomeOf('image', { file: await save(svg) })).toMatchObject(invalid);
  });
});

/** Returns a value as a file. */
function fileOf(value: JsonValue): FileValue {
  const file = storedFileOf(value);
  if (!file) throw new Error('the value is not a file');
  return { file };
}
