import { type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from '../../../tests/harness/engine.ts';
import { convertN8n } from '../../../tests/harness/import-n8n.ts';

/** A workflow of our own whose nodes run several times in n8n, and the items of their outputs in each run. */
interface Recorded {
  readonly n8n: string;
  readonly workflow: JsonValue;
  readonly runs: Readonly<Record<string, readonly (readonly (readonly JsonValue[])[])[]>>;
  /** The node that failed. */
  readonly failed?: string;
}

const FOLDER = join(import.meta.dirname, '../recorded-runs');
const code = createScriptRunner();
afterAll(() => code.close());

/** The data of an output that is all, or a member, of what a node here returns. */
const PLAIN = /^\$nodes\.(\w+)\.output(?:\.(\w+))?$/;

describe.each(readdirSync(FOLDER))('%s', (file) => {
  const { workflow, runs, failed } = parseOwnJson<Recorded>(readFileSync(join(FOLDER, file), 'utf8'));
  const { definition, notes, outputs } = convertN8n(workflow);

  it('has no stub, and can be saved', async () => {
    expect(notes.filter(({ level }) => level === 'manual')).toEqual([]);
    expect(compileWorkflow(definition, await loadNodeTypes())).not.toHaveProperty('issues');
  });

  it('runs each node as often as n8n, and with the same results', async () => {
    const { ending, journal } = await runInMemory(definition, { trigger: {}, services: { code } });
    expect(ending).toMatchObject({ kind: failed === undefined ? 'success' : 'failed' });
    const ended = journal.filter(({ status }) => status === 'success');
    let compared = 0;
    for (const [name, ports] of outputs) {
      if (name === failed) continue;
      const own = notes.find(({ node }) => node === name)?.nodeIds ?? [];
      for (const [index, { source, handle }] of ports.entries()) {
        const [, id = '', member] = PLAIN.exec(source.text) ?? [];
        // What a node passes on is compared where it comes from.
        if (!own.includes(id) || (handle !== undefined && handle !== 'done')) continue;
        const data = ended
          .filter(({ nodeId }) => nodeId === id)
          .map(({ output }) => (member === undefined ? output : Object(output)[member]));
        const lists = data.map((each) => (source.shape === 'list' ? each : [each]));
        const expected = (runs[name] ?? []).map((run) => run[index] ?? []);
        // Texts of errors differ, which notes say.
        const shown = (each: unknown): string => JSON.stringify(each).replace(/("error":)"(?:\\.|[^"])*"/g, '$1"…"');
        const sorted = (all: readonly unknown[]) => all.map(shown).toSorted();
        expect([name, sorted(lists)]).toEqual([name, sorted(expected)]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(2);
  });
});
