import type { Definition, JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runInMemory } from '../../../../tests/harness/engine.js';
import { interpret } from '../../../../tests/harness/reference-interpreter.js';
import { type NodeRecord, recordKey } from './records.js';

/** Graphs tried; a longer run is a matter of setting it. */
const GRAPHS = Number(process.env.MODEL_GRAPHS ?? 2_000);
const CRASHES_MAX = 50;

interface Draft {
  readonly kind: 'probe' | 'if' | 'merge' | 'loop';
  readonly picks: readonly number[];
  readonly onError: 'stop' | 'continue' | 'branch';
  readonly condition: boolean;
  readonly items: number;
  readonly concurrency: number;
  readonly body: readonly Draft[];
}

const draft: fc.Memo<Draft> = fc.memo((depth) =>
  fc.record({
    kind:
      depth > 1 ? fc.constantFrom('probe', 'probe', 'if', 'merge', 'loop') : fc.constantFrom('probe', 'if', 'merge'),
    picks: fc.array(fc.nat(100), { minLength: 1, maxLength: 3 }),
    onError: fc.constantFrom('stop', 'continue', 'branch'),
    condition: fc.boolean(),
    items: fc.nat(4),
    concurrency: fc.integer({ min: 1, max: 3 }),
    body: depth > 1 ? fc.array(draft(depth - 1), { minLength: 1, maxLength: 4 }) : fc.constant([]),
  }),
);

/** Turns drafts into a definition in which every edge leads forward and stays within its region. */
function toDefinition(drafts: readonly Draft[]): Definition {
  const nodes: Definition['nodes'] = [{ id: 'start', type: 'trigger.manual' }];
  const edges: Definition['edges'] = [];
  const seen = new Set<string>();

  function link(source: string, sourceHandle: string | undefined, target: string): void {
    const key = `${source}.${sourceHandle ?? ''} -> ${target}`;
    if (seen.has(key)) return;
    seen.add(key);
    edges.push(sourceHandle === undefined ? { source, target } : { source, sourceHandle, target });
  }

  function place(list: readonly Draft[], prefix: string, entry: [string, string | undefined][]): void {
    const exits: [string, string | undefined][] = [...entry];
    list.forEach((one, index) => {
      const id = `${prefix}${index}`;
      for (const pick of one.picks) {
        const exit = exits[pick % exits.length];
        if (exit) link(...exit, id);
      }
      switch (one.kind) {
        case 'if':
          nodes.push({ id, type: 'if', parameters: { condition: one.condition } });
          exits.push([id, 'true'], [id, 'false']);
          break;
        case 'merge':
          nodes.push({ id, type: 'merge' });
          exits.push([id, undefined]);
          break;
        case 'loop':
          nodes.push({
            id,
            type: 'loop',
            parameters: { items: Array.from({ length: one.items }, (_, i) => i), concurrency: one.concurrency },
          });
          place(one.body, `${id}_`, [[id, 'body']]);
          exits.push([id, 'done']);
          break;
        case 'probe':
          nodes.push({ id, type: 'probe', onError: one.onError });
          exits.push([id, undefined]);
          if (one.onError === 'branch') exits.push([id, 'error']);
      }
    });
  }

  place(drafts, 'n', [['start', undefined]]);
  return { nodes, edges };
}

/** A probe's answer: the same for the same node and iteration, so that running it again cannot tell the difference. */
function answerOf(seed: number) {
  return (nodeId: string, iteration: string): JsonValue => {
    let hash = seed;
    for (const char of `${nodeId}/${iteration}`) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
    return hash % 5 === 0 ? 'fail' : { nodeId, iteration };
  };
}

const scenario = fc.record({
  drafts: fc.array(draft(3), { minLength: 1, maxLength: 7 }),
  seed: fc.nat(),
  /** After how many records the worker dies, one after another. */
  crashes: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
});

describe('the engine agrees with the reference interpreter', () => {
  it('on every node of random graphs, whatever the crashes in between', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ drafts, seed, crashes }) => {
        const definition = toDefinition(drafts);
        const reference = interpret(definition, answerOf(seed));
        const { ending, records, calls } = await runWithCrashes(definition, seed, crashes);

        if (reference.fatal.size > 0) {
          expect(ending).toMatchObject({ kind: 'failed' });
          if (ending.kind === 'failed') expect(reference.fatal).toContain(ending.nodeId);
        } else {
          expect(ending.kind).toBe('success');
          for (const [key, expected] of reference.runs) {
            const record = records.get(key);
            // What one iteration skips is not recorded: the next may run it.
            if (expected.status === 'skipped' && !record) continue;
            expect({ key, status: record?.status, output: record?.output }).toEqual({ key, ...expected });
          }
          for (const [key, record] of records)
            expect([key, record.status]).toEqual([key, reference.runs.get(key)?.status]);
        }
        for (const key of calls) expect(reference.runs.has(key)).toBe(true);
      }),
      { numRuns: GRAPHS },
    );
  });
});

/** Runs to the end, letting the worker die now and then: the next one has only what was recorded before. */
async function runWithCrashes(definition: Definition, seed: number, crashes: readonly number[]) {
  const records = new Map<string, NodeRecord>();
  const finishedCalls = new Set<string>();
  const calls: string[] = [];
  const plan = [...crashes];
  for (let attempt = 0; attempt < CRASHES_MAX; attempt += 1) {
    const dieAfter = plan.shift() ?? Infinity;
    let count = 0;
    const run = await runInMemory(definition, {
      records: new Map(records),
      answer: (key) => {
        // A node that is finished on disk is never called again.
        expect(finishedCalls).not.toContain(key);
        const [nodeId = '', iteration = ''] = key.split('/');
        const value = answerOf(seed)(nodeId, iteration);
        return value === 'fail' ? new Error('fail') : value;
      },
      onRecord(record, abort) {
        count += 1;
        const key = recordKey(record.nodeId, record.iteration);
        records.set(key, record);
        if (record.status === 'success' || record.status === 'failed') finishedCalls.add(key);
        if (count >= dieAfter) abort();
      },
    });
    calls.push(...run.calls);
    if (run.ending.kind !== 'halted') return { ending: run.ending, records, calls };
  }
  throw new Error('the run never ended');
}
