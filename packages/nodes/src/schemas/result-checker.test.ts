import { expect, it } from '@jest/globals';
import { createResultChecker } from './result-checker.ts';
import type { SchemaChecker } from './schema-checker.ts';

const schemas: SchemaChecker = {
  check: () =>
    Promise.resolve({
      issues: [
        { path: 'total', message: 'must be number' },
        { path: '', message: 'no' },
      ],
    }),
  close: () => Promise.resolve(),
};

it.each([
  ['test', 'body.total must be number; body no'],
  ['debug', 'body.total must be number; body no'],
  ['normal', undefined],
  ['sandbox', undefined],
] as const)('a result in the mode %s has the issues %s', async (mode, expected) => {
  const result = { workspaceId: 'w', mode, schema: {}, body: {} };
  expect(await createResultChecker(schemas).check(result)).toBe(expected);
});
