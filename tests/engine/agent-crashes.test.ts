import type { Definition, JsonValue } from '@deckhand/contracts';
import { type LoopPosition, NodeError, type NodeRecord, recordKey, type WaitAnswer } from '@deckhand/engine';
import { createResultChecker, createSchemaChecker } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { edges, runInMemory } from '../harness/engine.ts';
import { runs } from '../harness/random.ts';
import {
  agentDefinition,
  createScriptedModel,
  SCRIPTED_CREDENTIAL,
  type ScriptedTurn,
} from '../harness/scripted-model.ts';

const schemas = createSchemaChecker();
const results = createResultChecker(schemas);
afterAll(() => schemas.close());

const RUNS = runs(100, 2_000);
/** Maximum number of workers of a run: one for each crash. */
const MAX_WORKERS = 50;
/** More than an agent has with the scripts here. */
const MAX_STEPS = 40;

/** Tools of each kind: one node, two in a row, one that fails beside another, one with failures inside of a loop. */
const TOOLS: Definition['nodes'] = [
  { id: 'one', type: 'probe' },
  { id: 'first', type: 'probe' },
  { id: 'second', type: 'probe' },
  { id: 'split', type: 'set', parameters: { fields: {} } },
  { id: 'slow', type: 'probe' },
  { id: 'broken', type: 'probe' },
  { id: 'each', type: 'loop', parameters: { items: '{{ $input.list }}', concurrency: 2 } },
  { id: 'inner', type: 'probe' },
];
const INSIDE = ['first -> second', 'split -> slow', 'split -> broken', 'each.body -> inner'];
const NAMES = ['one', 'first', 'split', 'each', 'unknown'];

/** The index at which `inner` fails: in lists of three. */
const FAILING_ITEM = 2;

const turn: fc.Arbitrary<ScriptedTurn> = fc.record({
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom(...NAMES),
      arguments: fc.record({ list: fc.nat(3).map((size) => [...Array(size).keys()]) }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

const scenario = fc.record({
  script: fc.array(turn, { maxLength: 4 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  /** The numbers of records after which workers die. */
  crashes: fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 5 }),
  /** Whether workers know where the agent was, and then only the records of steps in progress. */
  hasPositions: fc.boolean(),
  /** Whether the agent is in a loop. */
  isNested: fc.boolean(),
  /** The tools about whose calls a person is asked. */
  asking: fc.subarray(NAMES.slice(0, -1)),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

describe('an agent, whose workers die at any record,', () => {
  it('ends as if none had died, asks for no stored answer again, and calls no tool that has ended', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const undisturbed = await runWithCrashes({ ...given, crashes: [] });
        const { outcome, calls, violations } = await runWithCrashes(given);
        expect({ violations, ...outcome }).toEqual({ violations: [], ...undisturbed.outcome });
        expect(new Set(calls)).toEqual(new Set(undisturbed.calls));
      }),
      { numRuns: RUNS },
    );
  });
});

/** The decisions of a person about all calls: some are rejected. */
const DECISIONS = new Map(
  ['', '0.', '1.'].flatMap((outer) =>
    [...Array(MAX_STEPS).keys()].map((at): [string, WaitAnswer] => {
      const choice = at % 3 === 0 ? 'rejected' : 'approved';
      return [`agent.approval/${outer}${at}`, { kind: 'answered', value: { decision: choice } }];
    }),
  ),
);

function definitionOf({ concurrency, isNested, asking }: Scenario): Definition {
  const tools = asking.map((node) => ({ node, permission: 'ask' }));
  const definition = agentDefinition({ concurrency, maxTurns: 10, tools }, TOOLS, { inside: INSIDE });
  if (!isNested) return definition;
  const loop = { id: 'around', type: 'loop', parameters: { items: [1, 2] } };
  return {
    nodes: [...definition.nodes, loop],
    edges: [
      ...edges('start -> around', 'around.body -> agent'),
      ...definition.edges.filter(({ source }) => source !== 'start'),
    ],
  };
}

/** Runs to the end. Workers die now and then; the next one has only the records. */
async function runWithCrashes(given: Scenario) {
  const records = new Map<string, NodeRecord>();
  const model = createScriptedModel(given.script);
  const calls: string[] = [];
  const violations: string[] = [];
  const plan = [...given.crashes];
  let positions: readonly LoopPosition[] | undefined;
  /** How many answers are stored of the agent that works: in a loop, one after another does. */
  const stored = () =>
    [...records.values()].filter(({ nodeId, output }) => nodeId === 'agent.steps' && isAnswer(output)).length;
  for (let worker = 0; worker < MAX_WORKERS; worker += 1) {
    const dieAfter = plan.shift() ?? Infinity;
    let count = 0;
    const asked = model.asked.length;
    const before = stored();
    const run = await runInMemory(definitionOf(given), {
      records: new Map(records),
      ...(positions && { positions }),
      services: { ...model.services, results },
      openCredential: () => Promise.resolve(SCRIPTED_CREDENTIAL),
      waitAnswers: DECISIONS,
      answer(key) {
        const { status } = records.get(key) ?? {};
        if (status === 'success' || status === 'failed') violations.push(`${key} was called again`);
        if (hasEndedCall(records, key)) violations.push(`${key} is of a call that has ended`);
        const isFailingItem = key.startsWith('inner') && key.endsWith(`.${FAILING_ITEM}`);
        return key.startsWith('broken') || isFailingItem ? new NodeError('PROBE', key) : { key };
      },
      onRecord(record, abort) {
        count += 1;
        records.set(recordKey(record.nodeId, record.iteration), record);
        if (count >= dieAfter) abort();
      },
    });
    calls.push(...run.calls);
    if (new Set(run.calls).size < run.calls.length) violations.push(`worker ${worker}: a call was made twice`);
    // Of the answers that this worker asked for, the last one may not be stored.
    const lost = model.asked.length - asked - (stored() - before);
    if (lost < 0 || lost > (run.ending.kind === 'halted' ? 1 : 0)) violations.push(`worker ${worker}: ${lost} answers`);
    if (run.ending.kind !== 'halted') {
      return { outcome: { ending: run.ending, steps: stepsOf(records) }, calls, violations };
    }
    positions = given.hasPositions ? run.positions : undefined;
  }
  throw new Error(`more than ${MAX_WORKERS} workers`);
}

/** Whether the call of a tool that a node run belongs to has ended before. */
function hasEndedCall(records: ReadonlyMap<string, NodeRecord>, key: string): boolean {
  const parts = (key.split('/')[1] ?? '').split('.');
  const around = parts.map((_part, depth) => parts.slice(0, depth + 1).join('.'));
  return around.some((iteration) => records.get(`agent.steps/${iteration}`)?.status === 'success');
}

function isAnswer(output: JsonValue | undefined): boolean {
  return typeof output === 'object' && output !== null && 'content' in output;
}

/** What is recorded of the agent: its outputs, its answers, and what the model was told. */
function stepsOf(records: ReadonlyMap<string, NodeRecord>): Record<string, unknown> {
  const ofAgent = [...records].filter(([, { nodeId }]) => nodeId === 'agent' || nodeId.startsWith('agent.'));
  return Object.fromEntries(ofAgent.map(([key, { status, handle, output }]) => [key, { status, handle, output }]));
}
