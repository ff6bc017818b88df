import { describe, expect, it } from '@jest/globals';
import { ERRORS_OF_CREDENTIALS, ERRORS_OF_EVERY_NODE, NODE_ERRORS } from '@deckhand/contracts';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadNodeTypes } from './load-node-types.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SOURCES = import.meta.dirname;

/** The services that fail nodes with codes of their own, and what implements them. */
const SERVICES: Readonly<Record<string, string>> = {
  http: join(SOURCES, 'http/client.ts'),
  mail: join(SOURCES, 'email/send.ts'),
  postgres: join(SOURCES, 'postgres/client.ts'),
  sftp: join(SOURCES, 'sftp/client.ts'),
  code: join(SOURCES, 'code/runner.ts'),
  agentMemories: join(ROOT, 'apps/worker/src/session/agent-memories.ts'),
  modelCalls: join(ROOT, 'apps/worker/src/session/model-calls.ts'),
  traffic: join(ROOT, 'packages/queue/src/traffic-control.ts'),
  workflows: join(ROOT, 'apps/worker/src/session/start-workflows.ts'),
};

/** What opens and stores the files of a node. */
const FILES = join(ROOT, 'packages/outputs/src/file-store.ts');
/** Codes of functions beside which a type imports others: it need not name them. */
const OF_SHARED_FILES = new Set([
  'FILE_LIMIT',
  'FILE_TOO_LARGE',
  'MEMORY_EXCEEDED',
  'NODE_BUDGET',
  'RESULT_TOO_LARGE',
  'STORAGE_FULL',
  'TEXT_TOO_LARGE',
]);
/** Codes of the API that nodes have as another one: STORAGE_FULL. */
const OF_THE_API = ['INSTANCE_FULL'];
const OF_ALL = new Set<string>([...ERRORS_OF_EVERY_NODE, ...ERRORS_OF_CREDENTIALS, ...OF_THE_API]);

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** Returns the codes with which a file fails nodes. */
function codesIn(file: string): string[] {
  return [...textOf(file).matchAll(/(?:Node|File)Error\(\s*'([A-Z0-9_]+)'|code: '([A-Z0-9_]+)',\s*isRetryable/g)].map(
    ([, thrown, returned]) => thrown ?? returned ?? '',
  );
}

/** Adds a file of a node type and what runs with it: its imports, and the services that they call. */
function follow(file: string, seen: Set<string>): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = textOf(file);
  const imported = [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, path = '']) =>
    resolve(dirname(file), path),
  );
  const called = [...text.matchAll(/services(?:\.(\w+)|: \{([^}]*)\})/g)].flatMap(([, one, several = '']) =>
    (one ?? several).split(/\W+/).flatMap((name) => SERVICES[name] ?? []),
  );
  if (/\bfiles\.(?:open|save)\(/.test(text)) called.push(FILES);
  for (const next of [...imported.filter((path) => path.startsWith(SOURCES)), ...called]) follow(next, seen);
  return seen;
}

const types = [...(await loadNodeTypes()).values()];
const fileOf = (type: string) => join(SOURCES, 'types', `${type.replace('.', '-')}.ts`);

describe('codes of failed nodes', () => {
  it.each(types.map((type) => [type.type, type] as const))('of %s are those that its sources have', (name, type) => {
    const found = [...follow(fileOf(name), new Set())].flatMap(codesIn).filter((code) => !OF_ALL.has(code));
    const named: readonly string[] = type.errors;
    expect(named.filter((code) => !found.includes(code))).toEqual([]);
    expect(found.filter((code) => !named.includes(code) && !OF_SHARED_FILES.has(code))).toEqual([]);
    expect(named).toEqual([...named].sort());
  });

  it('are all in the catalogue', () => {
    const files = globSync('{packages/{nodes,engine,queue,testing},apps/worker}/src/**/*.ts', { cwd: ROOT });
    const thrown = files.filter((file) => !file.endsWith('.test.ts')).flatMap((file) => codesIn(join(ROOT, file)));
    expect(thrown.length).toBeGreaterThan(50);
    expect([...new Set(thrown)].filter((code) => !Object.hasOwn(NODE_ERRORS, code))).toEqual([]);
  });
});
