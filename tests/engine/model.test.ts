import type { Definition } from '@deckhand/contracts';
import { type LoopPosition, NodeError, type NodeRecord, recordKey } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { runInMemory } from '../harness/engine.ts';
import {
  answerOf,
  callMsOf,
  failuresOf,
  isTriedLate,
  LATE_RETRY_MS,
  randomGraph,
  WAIT_SECONDS,
} from '../harness/random-graphs.ts';
import { runs } from '../harness/random.ts';
import { compare, interpret, observe } from '../harness/reference-interpreter.ts';
import { createVirtualWorld } from '@deckhand/testing/virtual-world';

const GRAPHS = runs(1_000, 10_000);
/**
 * A run that hangs for so long fails, and shrinking a failure ends after so long, in ms: then the counterexample is
 * reported, before the time limit of the test hides it.
 */
const HANGING_MS = 60_000;
const SHRINKING_ENDS_MS = 480_000;
/**
 * Graphs whose inputs become longer, in characters of JSON, are left out: outputs may double with each iteration, and
 * the interpreter knows nothing of the limits of expressions.
 */
const MAX_SIZE = 1_000_000;
/** Maximum number of workers of a run: one for each crash and each rest. */
const MAX_WORKERS = 500;

const scenario = fc.record({
  definition: randomGraph,
  seed: fc.nat(),
  /** The numbers of records after which workers die. */
  crashes: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
  /** Whether workers know where the loops were, and then only the records of iterations in progress. */
  hasPositions: fc.boolean(),
});

describe('the engine agrees with the reference interpreter', () => {
  it('on every node of random graphs, whatever the crashes in between', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ definition, seed, crashes, hasPositions }) => {
        const { ending, records, calls, violations } = await runWithCrashes({
          definition,
          seed,
          crashes,
          hasPositions,
        });
        const reference = interpret(definition, answerOf(seed), observe(records));
        fc.pre(![...reference.runs.values()].some(({ output }) => sizeIn(output) > MAX_SIZE));

        // One comparison per graph: more would cost more than the runs.
        if (reference.fatal.size > 0) {
          expect(ending).toMatchObject({ kind: 'failed' });
          if (ending.kind === 'failed') expect(reference.fatal).toContain(ending.nodeId);
        } else {
          const { actual, expected } = compare(records, reference);
          // Outputs are long: only those that differ are compared by Jest, which prints them.
          expect({ kind: ending.kind, ...differing(actual, expected) }).toEqual({
            kind: 'success',
            ...differing(expected, actual),
          });
        }
        const unknown = calls.filter((key) => !reference.runs.has(key) && !reference.isInCancelledBody(key));
        expect([...unknown, ...violations]).toEqual([]);
      }),
      {
        numRuns: GRAPHS,
        plugins: [fc.timeout(HANGING_MS), fc.interruptAfterTimeLimit(SHRINKING_ENDS_MS, { failOnInterrupt: true })],
      },
    );
  });
});

/** Returns the `size` that a node of the graph has computed of its input; 0 for other outputs. */
function sizeIn(output: unknown): number {
  return typeof output === 'object' && output !== null && 'size' in output ? Number(output.size) : 0;
}

/** Returns the members that the other object has not, or has otherwise. */
function differing(members: object, others: object): object {
  const known = new Map(Object.entries(others));
  return Object.fromEntries(
    Object.entries(members).filter(([key, value]) => !known.has(key) || !isDeepStrictEqual(value, known.get(key))),
  );
}

/** Runs to the end. Workers die now and then; the next one has only the records. */
async function runWithCrashes({
  definition,
  seed,
  crashes,
  hasPositions,
}: {
  definition: Definition;
  seed: number;
  crashes: readonly number[];
  hasPositions: boolean;
}) {
  const world = createVirtualWorld();
  const records = new Map<string, NodeRecord>();
  const finishedCalls = new Set<string>();
  const calls: string[] = [];
  /** Nodes that were called although they were finished on disk, or before their time, and waits that ended late. */
  const violations: string[] = [];
  const waits = new Set(definition.nodes.flatMap(({ id, type }) => (type === 'wait' ? [id] : [])));
  const plan = [...crashes];
  const asked = new Map<string, number>();
  let positions: readonly LoopPosition[] | undefined;
  /** When the next attempt of a resting node is due. */
  const restsUntil = new Map<string, number>();
  for (let worker = 0; worker < MAX_WORKERS; worker += 1) {
    const dieAfter = plan.shift() ?? Infinity;
    let count = 0;
    const run = await runInMemory(definition, {
      world,
      records: new Map(records),
      ...(positions && { positions }),
      answer: async (key) => {
        if (finishedCalls.has(key)) violations.push(`${key} was called again`);
        if (world.now() < (restsUntil.get(key) ?? 0)) violations.push(`${key} was tried again too soon`);
        const count = (asked.get(key) ?? 0) + 1;
        asked.set(key, count);
        const callMs = callMsOf(seed, key);
        if (callMs > 0) await world.sleep(callMs);
        if (count <= failuresOf(seed, key)) throw new NodeError('PROBE', 'not yet');
        const [nodeId = '', iteration = ''] = key.split('/');
        const value = answerOf(seed)(nodeId, iteration);
        if (value === 'fail') throw new NodeError('PROBE', 'fail');
        return value;
      },
      onRecord(record, abort) {
        count += 1;
        const { nodeId, iteration, status, startedAt, finishedAt } = record;
        const key = recordKey(nodeId, iteration);
        records.set(key, record);
        if (status === 'success' || status === 'failed' || status === 'stopped') finishedCalls.add(key);
        if (status === 'waiting' && isTriedLate(nodeId)) restsUntil.set(key, world.now() + LATE_RETRY_MS);
        if (status === 'success' && waits.has(nodeId) && finishedAt !== (startedAt ?? 0) + WAIT_SECONDS * 1_000) {
          violations.push(`${key} waited from ${startedAt} to ${finishedAt}`);
        }
        if (count >= dieAfter) abort();
      },
    });
    calls.push(...run.calls);
    // A worker that died before its first record left nothing, and the positions of the one before are right.
    if (hasPositions && run.journal.length > 0) ({ positions } = run);
    if (run.ending.kind === 'waiting') world.passToNextWait();
    else if (run.ending.kind !== 'halted') return { ending: run.ending, records, calls, violations };
  }
  throw new Error('the run never ended');
}
