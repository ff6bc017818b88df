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
        const { ending, records, calls, calledAgain } = await runWithCrashes(definition, seed, crashes);

        // One comparison a graph: making them costs more than the runs.
        if (reference.fatal.size > 0) {
          expect(ending).toMatchObject({ kind: 'failed' });
          if (ending.kind === 'failed') expect(reference.fatal).toContain(ending.nodeId);
        } else {
          // What one iteration skips is not recorded: the next may run it.
          const isTold = ([key, { status }]: [string, { status: string }]) => status !== 'skipped' || records.has(key);
          const nodes = [...records].map(([key, { status, output }]) => [key, { status, output }] as const);
          expect({ kind: ending.kind, ...Object.fromEntries(nodes) }).toEqual({
            kind: 'success',
            ...Object.fromEntries([...reference.runs].filter(isTold)),
          });
        }
        const unknown = calls.filter((key) => !reference.runs.has(key));
        expect([...unknown, ...calledAgain]).toEqual([]);
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
  /** Nodes that were called though they were finished on disk. */
  const calledAgain: string[] = [];
  const plan = [...crashes];
  const asked = new Map<string, number>();
  for (let attempt = 0; attempt < CRASHES_MAX; attempt += 1) {
    const dieAfter = plan.shift() ?? Infinity;
    let count = 0;
    const run = await runInMemory(definition, {
      records: new Map(records),
      answer: (key) => {
        if (finishedCalls.has(key)) calledAgain.push(key);
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
    if (run.ending.kind !== 'halted') return { ending: run.ending, records, calls, calledAgain };
  }
  throw new Error('the run never ended');
}
