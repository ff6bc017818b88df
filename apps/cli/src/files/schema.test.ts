import { describe, expect, it } from '@jest/globals';
import { WorkflowTest } from '@deckhand/testing/workflow-test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSchema } from './schema.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const OPENAPI: unknown = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
const PUBLISHED = join(ROOT, 'docs/workflow-file.schema.json');

/** Returns the names of the members of an object's schema, and of those in it. */
function membersOf(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return null;
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, membersOf(inner)]));
}

describe('the JSON Schema of files', () => {
  it('is published (CLI_ACCEPT=1 writes it)', async () => {
    const text = `${JSON.stringify(fileSchema([], OPENAPI), null, 2)}\n`;
    if (process.env.CLI_ACCEPT !== undefined) await writeFile(PUBLISHED, text);
    else expect(await readFile(PUBLISHED, 'utf8')).toBe(text);
  });

  it('has the members of tests that "deckhand test" has', () => {
    const { $defs } = fileSchema([], OPENAPI);
    expect(membersOf(Object.entries($defs ?? {}).find(([name]) => name === 'test')?.[1])).toEqual(
      membersOf(WorkflowTest),
    );
  });

  it('has the members of definitions that the service accepts, and names their credentials', () => {
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(fileSchema([], OPENAPI));
    const file = {
      ...{ slug: 'a', name: 'A', settings: { rateLimit: { max: 5, windowSeconds: 60 } } },
      nodes: [{ id: 'a', type: 'http', credential: 'Shop', mock: [1], retry: { maxAttempts: 2 } }],
      edges: [{ source: 'a', target: 'a', sourceHandle: 'error' }],
      notes: [{ id: 'n', text: 'Ask', position: { x: 1, y: 2 }, color: 'blue' }],
    };
    expect(check(file)).toBe(true);
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    for (const wrong of [
      { ...file, settings: { rateLimit: { max: 0, windowSeconds: 60 } } },
      { ...file, nodes: [{ id: 'a', type: 'http', retry: { maxAttempts: 11 } }] },
      { ...file, nodes: [{ id: 'a', type: 'http', credentialId: id }] },
      { ...file, edges: [{ source: 'a' }] },
      { ...file, notes: [{ id: 'n', text: 'Ask' }] },
    ]) {
      expect(check(wrong)).toBe(false);
    }
  });
});
