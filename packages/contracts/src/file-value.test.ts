import { describe, expect, it } from '@jest/globals';
import { type FileValue, fileIdsIn, fileName, storedFileOf } from './file-value.ts';

const id = '01a2b3c4-d5e6-7890-8abc-def012345678';
const file = { id, name: 'a "b".pdf', contentType: 'application/pdf', bytes: 3, sha256: 'ab'.repeat(32) };
const value: FileValue = { file };

describe('a file value', () => {
  it('is recognised, whatever the order of its members', () => {
    expect(storedFileOf(value)).toEqual(file);
    expect(storedFileOf({ file: Object.fromEntries(Object.entries(file).reverse()) })).toEqual(file);
  });

  it('is recognised by its metadata alone, as an expression returns it', () => {
    expect(storedFileOf(file)).toEqual(file);
  });

  it.each([
    ['a text', 'file'],
    ['nothing', undefined],
    ['null', { file: null }],
    ['an inline file', { base64: '', contentType: '' }],
    ['one without a hash', { file: { ...file, sha256: null } }],
    ['one with another id', { file: { ...file, id: '../../x' } }],
    ['one with more members', { file: { ...file, path: '/etc/passwd' } }],
    ['one beside other members', { ...value, size: 3 }],
    ['one within two objects', { file: value }],
    ['metadata without a hash', { id, name: '', contentType: '', bytes: 3 }],
    ['metadata with other members', { ...file, size: 3 }],
  ])('is not %s', (_, other) => {
    expect(storedFileOf(other)).toBeUndefined();
  });
});

describe('ids of files in JSON', () => {
  it('are found once each, in whatever they are nested', () => {
    const other = { file: { ...file, id: id.replace('01a2', '02a2') } };
    const json = JSON.stringify({ list: [value, { copy: value }], text: 'x', other });
    expect(fileIdsIn(json)).toEqual([id, other.file.id]);
    expect(fileIdsIn(JSON.stringify(value, null, 2).replaceAll(':', ' : '))).toEqual([id]);
  });

  it('are not looked for in JSON without files', () => {
    expect(fileIdsIn(JSON.stringify({ id, text: '"sha256"' }))).toEqual([]);
  });
});

it.each([
  ['invoice 7.pdf', 'invoice 7.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\temp\\a.txt', 'a.txt'],
  ['invoice\u202Efdp.exe\r\n', 'invoicefdp.exe'],
  ['folder/', ''],
  ['😀'.repeat(300), '😀'.repeat(255)],
])('the name of a file from %j is safe to show', (given, name) => {
  expect(fileName(given)).toBe(name);
});
