import { parseOwnJson } from '@deckhand/contracts';
import type { NodeExample } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { runExample } from '../harness/node-examples.ts';

const FOLDER = new URL('../../examples/patterns/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const table = readFileSync(new URL('README.md', FOLDER), 'utf8');
/** Number, and the file or "no", of each row. */
const rows = [...table.matchAll(/^\| (\d+)\. [^|]+ \| (?:\[yes\]\(([^)]+)\)|(no)) +\| [^|]+ \|$/gm)];

describe('the control-flow patterns', () => {
  it.each(FILES)('%s leads to what it says', async (name) => {
    const example = parseOwnJson<NodeExample>(readFileSync(new URL(name, FOLDER), 'utf8'));
    const { run } = await runExample(example);
    if (example.error) expect(run.ending).toMatchObject({ kind: 'failed', error: example.error });
    else expect(run.ending).toEqual({ kind: 'success', result: example.result ?? null });
    for (const [id, output] of Object.entries(example.outputs)) {
      expect({ id, output: run.last.get(`${id}/`)?.output }).toEqual({ id, output });
    }
    for (const status of ['skipped', 'stopped'] as const)
      for (const id of example[status] ?? []) expect([id, run.last.get(`${id}/`)?.status]).toEqual([id, status]);
  });

  it('are all in the table, each with its file or without one', () => {
    expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 43 }, (_, index) => index + 1));
    const named = rows.flatMap(([, number, file]) => (file === undefined ? [] : [[Number(number), file] as const]));
    expect(named.map(([, file]) => file)).toEqual([...FILES].sort());
    for (const [number, file] of named) expect(Number(file.slice(0, 2))).toBe(number);
    expect(table).toContain(`${named.length} of 43`);
  });
});
