import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

const { paths }: Document = JSON.parse(readFileSync(repositoryPath('docs/openapi.json'), 'utf8'));
/** Each operation as `GET /api/workflows/{}`, with its id. */
const operations = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]): [string, string][] =>
      operationId === undefined
        ? []
        : [[`${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`, operationId]],
    ),
  ),
);

const sources = globSync('apps/console/src/**/*.{ts,tsx}', { cwd: repositoryPath('.') })
  .filter((path) => !path.endsWith('.test.ts') && path !== 'apps/console/src/api/call.ts')
  .map((path) => readFileSync(repositoryPath(path), 'utf8'))
  .join('\n');
/** The requests of the console, with the text of their path if it is written at the call. */
const requests = [
  ...sources.matchAll(/\b(?:call|send)(?:<[\w<>.[\]{}:; ]+>)?\(\s*'([A-Z]+)',\s*(?:['`]([^'`]*)['`]|)/g),
].map(([text, method = '', path]) => ({
  text,
  operation: operations.get(`${method} ${(path ?? '').replaceAll(/\$\{[^}]*\}/g, '{}')}`),
}));
const used = new Set(requests.map(({ operation }) => operation));

/** The table of docs/console.md: operations that the console does not use, each with its reason. */
const [, table = ''] = readFileSync(repositoryPath('docs/console.md'), 'utf8').split('## Operations without a place');
const [rows = ''] = table.split('\n##');
const reasons = new Map(
  [...rows.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].flatMap(([, names = '', reason = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, string] => [name, reason]),
  ),
);

describe('the operations of the API', () => {
  it('are found in the sources of the console by the paths of its requests', () => {
    expect(requests.length).toBeGreaterThan(80);
    expect(requests.filter(({ operation }) => operation === undefined).map(({ text }) => text)).toEqual([]);
  });

  it.each([...operations.values()])('%s is used by the console, or the docs say why not', (operation) => {
    expect({ isUsed: used.has(operation), hasReason: reasons.has(operation) }).toEqual({
      isUsed: !reasons.has(operation),
      hasReason: !used.has(operation),
    });
  });

  it('have no reason in the docs once they are gone', () => {
    const known = new Set(operations.values());
    expect([...reasons.keys()].filter((operation) => !known.has(operation))).toEqual([]);
  });
});
