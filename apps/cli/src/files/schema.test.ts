import { describe, expect, it } from '@jest/globals';
import { NoteDefinition } from '@deckhand/contracts';
import { WorkflowTest } from '@deckhand/testing/workflow-test';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSchema } from './schema.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PUBLISHED = join(ROOT, 'docs/workflow-file.schema.json');

/** Returns the names of the members of an object's schema, and of those in it. */
function membersOf(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return null;
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, membersOf(inner)]));
}

/** Returns a schema as JSON without its descriptions. */
function withoutDescriptions(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema, (name, value: unknown) => (name === 'description' ? undefined : value)));
}

describe('the JSON Schema of files', () => {
  it('is published (CLI_ACCEPT=1 writes it)', async () => {
    const text = `${JSON.stringify(fileSchema([]), null, 2)}\n`;
    if (process.env.CLI_ACCEPT !== undefined) await writeFile(PUBLISHED, text);
    else expect(await readFile(PUBLISHED, 'utf8')).toBe(text);
  });

  it('has the members of tests that "deckhand test" has', () => {
    const { $defs } = fileSchema([]);
    expect(membersOf(Object.entries($defs ?? {}).find(([name]) => name === 'test')?.[1])).toEqual(
      membersOf(WorkflowTest),
    );
  });

  it('has the notes that the service accepts', () => {
    // The command line may not import the schema itself.
    const { properties } = fileSchema([]);
    const notes = Object.entries(properties ?? {}).find(([name]) => name === 'notes')?.[1];
    expect(withoutDescriptions(notes)).toEqual(withoutDescriptions({ type: 'array', items: NoteDefinition }));
  });
});
