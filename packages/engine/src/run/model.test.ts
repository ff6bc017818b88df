import type { Definition } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runInMemory } from '../../../../tests/harness/engine.js';
import { answerOf, failuresOf, randomGraph } from '../../../../tests/harness/random-graphs.js';
import { interpret } from '../../../../tests/harness/reference-interpreter.js';
import { type NodeRecord, recordKey } from './records.js';

/** Graphs tried; a longer run is a matter of setting it. */
const GRAPHS = Number(process.env.MODEL_GRAPHS ?? 10_000);
const CRASHES_MAX = 50;

const scenario = fc.record({
  definition: randomGraph,
  seed: fc.nat(),
  /** After how many records the worker dies, one after another. */
  crashes: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
});

describe('the engine agrees with the reference interpreter', () => {
  it('on every node of random graphs, whatever the crashes in between', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ definition, seed, crashes }) => {
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
    process.stdout.write(`model: ${GRAPHS} graphs agree\n`);
  }, 600_000);
});

/** Runs to the end, letting the worker die now and then: the next one has only what was recorded before. */
async function runWithCrashes(definition: Definition, seed: number, crashes: readonly number[]) {
  const records = new Map<string, NodeRecord>();
  const finishedCalls = new Set<string>();
  const calls: string[] = [];
  const plan = [...crashes];
  const asked = new Map<string, number>();
  for (let attempt = 0; attempt < CRASHES_MAX; attempt += 1) {
    const dieAfter = plan.shift() ?? Infinity;
    let count = 0;
    const run = await runInMemory(definition, {
      records: new Map(records),
      answer: (key) => {
        // A node that is finished on disk is never called again.
        expect(finishedCalls).not.toContain(key);
        const count = (asked.get(key) ?? 0) + 1;
        asked.set(key, count);
        if (count <= failuresOf(seed, key)) return new Error('not yet');
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
