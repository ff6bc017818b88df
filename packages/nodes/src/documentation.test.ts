import { CREDENTIAL_TYPES } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { nodeContext } from '../../../tests/harness/node-context.ts';
import { exampleParameters } from '../../../tests/harness/node-examples.ts';
import { nodeIndex, nodePage } from '../../../tests/harness/node-pages.ts';
import { loadNodeTypes } from './load-node-types.ts';

/** The folder of the pages. */
const NODE_DOCS = new URL('../../../docs/nodes/', import.meta.url);

const types = [...(await loadNodeTypes()).values()].sort((a, b) => a.type.localeCompare(b.type));

/** Compares a page with the one generated from the node type, or writes it if UPDATE_DOCS is set. */
function holdPage(name: string, text: string): void {
  const file = new URL(name, NODE_DOCS);
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(file, text);
  // Jest names the stale page; UPDATE_DOCS=1 rewrites it.
  expect({ name, text: existsSync(file) ? readFileSync(file, 'utf8') : '' }).toEqual({ name, text });
}

describe('docs/nodes', () => {
  it.each(types.map((type) => [type.type, type] as const))('describes %s as it is', async (name, type) => {
    const [parameters] = await exampleParameters(type);
    const outcome = type.hasEffects ? await type.run(parameters, nodeContext({ mode: 'sandbox' })) : undefined;
    holdPage(`${name}.md`, nodePage(type, outcome?.kind === 'output' ? outcome.output : undefined));
  });

  it('lists every node type', () => {
    holdPage('README.md', nodeIndex(types));
  });

  it('sums each of them up in a whole sentence', () => {
    const sentences = [...nodeIndex(types).matchAll(/^\| \[`.*\| (.*) \|$/gm)].map(([, text = '']) => text);
    expect(sentences).toHaveLength(types.length);
    const isWhole = (text: string): boolean => text.endsWith('.') && text.split('`').length % 2 === 1;
    expect(sentences.filter((text) => !isWhole(text))).toEqual([]);
  });

  it.each(CREDENTIAL_TYPES)('are those that docs/credentials.md names for credentials of type %s', (credentialType) => {
    const page = readFileSync(new URL('../credentials.md', NODE_DOCS), 'utf8');
    const [, names = ''] = new RegExp(`^\\| \`${credentialType}\` \\| .* \\| (\`.*\`) \\|$`, 'm').exec(page) ?? [];
    const users = types.filter(({ credential }) => credential?.types.includes(credentialType));
    expect(names.replaceAll('`', '').split(', ').sort()).toEqual(users.map(({ type }) => type));
  });

  it('has no page of a type that is gone', () => {
    const known = types.map(({ type }) => `${type}.md`);
    expect(readdirSync(NODE_DOCS).sort()).toEqual([...known, 'README.md'].sort());
  });
});
