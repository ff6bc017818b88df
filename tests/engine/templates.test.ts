import { compileCheck, Definition, parseOwnJson } from '@deckhand/contracts';
import type { NodeExample } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { runExample } from '../harness/node-examples.ts';

/** A workflow to begin with: `apps/console/src/templates/<id>.json`. */
interface Template {
  readonly name: string;
  readonly description: string;
  /** The variables that it reads, and what their values are. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly definition: Definition;
  readonly cases: readonly Case[];
}

/** A run of a template; `requests` are those of its http nodes, as far as they are given. */
interface Case extends Omit<NodeExample, 'definition' | 'request' | 'response' | 'outputs'> {
  readonly title: string;
  readonly requests?: readonly NonNullable<NodeExample['request']>[];
}

const FOLDER = new URL('../../apps/console/src/templates/', import.meta.url);
const TEMPLATES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => [name, parseOwnJson<Template>(readFileSync(new URL(name, FOLDER), 'utf8'))] as const);
const check = compileCheck(Definition);

describe.each(TEMPLATES)('%s', (_file, { name, description, variables = {}, definition, cases }) => {
  it('is valid, and says which variables it reads', () => {
    expect(check(definition)).not.toHaveProperty('issues');
    expect(name.length).toBeLessThan(40);
    expect(description).toMatch(/\.$/);
    const read = [...JSON.stringify(definition).matchAll(/\$vars\.(\w+)/g)].map(([, variable]) => variable);
    expect([...new Set(read)].sort()).toEqual(Object.keys(variables).sort());
    expect(cases.length).toBeGreaterThan(0);
  });

  it.each(cases)('does what it says: $title', async ({ requests = [], ...example }) => {
    const { run, requests: sent } = await runExample({ ...example, definition, outputs: {} });
    expect(run.ending).toEqual({ kind: 'success', result: example.result ?? null });
    expect(sent).toHaveLength(example.responses?.length ?? 0);
    expect(sent).toMatchObject(requests.concat(sent.slice(requests.length).map(() => ({}))));
    for (const id of example.skipped ?? []) expect([id, run.last.get(`${id}/`)?.status]).toEqual([id, 'skipped']);
    const ran = definition.nodes.filter(({ id }) => [...run.last].some(([, { nodeId }]) => nodeId === id));
    expect(ran).toHaveLength(definition.nodes.length);
  });
});
