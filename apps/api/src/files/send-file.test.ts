import { describe, expect, it } from '@jest/globals';
import { attachmentNamed, parseRange } from './send-file.ts';

describe('a range of a file', () => {
  it.each([
    ['bytes=0-0', { from: 0, until: 1 }],
    ['bytes=2-4', { from: 2, until: 5 }],
    ['bytes=5-', { from: 5, until: 10 }],
    ['bytes=5-99', { from: 5, until: 10 }],
    ['bytes=-3', { from: 7, until: 10 }],
    ['bytes=-99', { from: 0, until: 10 }],
    ['Bytes = 1-2', { from: 1, until: 3 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=4-2', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,3-4', undefined],
    ['items=0-1', undefined],
    [undefined, undefined],
  ])('%s of ten bytes', (header, range) => {
    expect(parseRange(header, 10)).toEqual(range);
  });

  it('of an empty file cannot be satisfied', () => {
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
  });
});

describe('the name of a download', () => {
  it.each([
    ['', 'attachment'],
    ['a b.pdf', 'attachment; filename="a b.pdf"'],
    ['€ "1".pdf', `attachment; filename="_ _1_.pdf"; filename*=UTF-8''%E2%82%AC%20%221%22.pdf`],
    ["it's.txt", 'attachment; filename="it\'s.txt"'],
    ['a\r\nb', `attachment; filename="a__b"; filename*=UTF-8''a%0D%0Ab`],
    ['\ud800.txt', `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
  ])('%j is %s', (name, header) => {
    expect(attachmentNamed(name)).toBe(header);
  });
});
