import { describe, expect, it } from '@jest/globals';
import { fileFieldOf } from './file-field.ts';
import type { JsonObject } from './json.ts';
import { compileUntrusted } from './validate.ts';

const file = (part: object = {}) => ({
  file: {
    ...{ id: '0199c0de-5f1e-7a30-8c55-3f2b8a9d1e77', name: 'a.PDF', contentType: 'application/pdf' },
    ...{ bytes: 10, sha256: '9f' },
    ...part,
  },
});

function issuesOf(schema: object, value: unknown) {
  const compiled = compileUntrusted(schema);
  if ('issues' in compiled) return compiled.issues;
  const result = compiled.check(value);
  return 'issues' in result ? result.issues : [];
}

describe('a schema of a file', () => {
  it.each([
    [{}, file(), undefined],
    [{}, file().file, 'must be a file'],
    [{}, 'a.pdf', 'must be a file'],
    [{}, { file: 'a.pdf' }, 'must be a file'],
    [{}, { base64: '', contentType: 'text/plain' }, 'must be a file'],
    [{ accept: ['application/pdf'] }, file(), undefined],
    [{ accept: ['Application/PDF'] }, file({ contentType: 'application/pdf; a=b' }), undefined],
    [{ accept: ['image/*', '.pdf'] }, file({ contentType: 'application/octet-stream' }), undefined],
    [{ accept: ['image/*'] }, file({ contentType: 'image/png' }), undefined],
    [{ accept: ['image/*', '.csv'] }, file(), 'must be a file of the type image/*, .csv'],
    [{ accept: ['image/*'] }, file({ contentType: 'imagex/png' }), 'must be a file of the type image/*'],
    [{ maxBytes: 10 }, file(), undefined],
    [{ maxBytes: 9 }, file(), 'must have at most 9 bytes'],
    [{}, file({ bytes: 10_485_761 }), 'must have at most 10,485,760 bytes'],
    [{ accept: 'x', maxBytes: 'x' }, file(), undefined],
  ])('%j takes %j: %p', (rule, value, message) => {
    const found = issuesOf({ properties: { scan: { type: ['object', 'string'], file: rule } } }, { scan: value });
    expect(found).toEqual(message === undefined ? [] : [{ path: 'scan', message }]);
  });

  it('may be that of the items of a list', () => {
    const list = { type: 'array', items: { file: { maxBytes: 9 } }, maxItems: 2 };
    expect(issuesOf(list, [file({ bytes: 9 }), file()])).toEqual([
      { path: '[1]', message: 'must have at most 9 bytes' },
    ]);
    expect(fileFieldOf(list)).toEqual({ accept: [], maxBytes: 9, isList: true, maxFiles: 2 });
  });

  it('is one with the keyword only: anything else under its name is an annotation, as before', () => {
    expect(fileFieldOf({ type: 'object', file: {} })).toMatchObject({ isList: false, maxFiles: 1 });
    const others: JsonObject[] = [
      {},
      { file: true },
      { file: { type: 'object' } },
      { type: 'array', items: {} },
      { items: { file: {} } },
    ];
    for (const schema of others) expect(fileFieldOf(schema)).toBeUndefined();
    expect(issuesOf({ properties: { file: { type: 'number' } }, file: 'contract.pdf' }, { file: 5 })).toEqual([]);
  });
});
