import { beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_ISSUES } from '@deckhand/contracts';
import { compileInSteps, type NodeTypes } from '@deckhand/engine';
import { runInTimeSlices } from '@deckhand/runtime';
import { loadNodeTypes } from './load-node-types.ts';

/** A chain of the maximum number of nodes. */
function chain(node: object, sourceHandle?: string) {
  const ids = Array.from({ length: 4_999 }, (_, n) => `n${n}`);
  return {
    nodes: [{ id: 'start', type: 'trigger.manual' }, ...ids.map((id) => ({ id, ...node }))],
    edges: ids.map((target, n) =>
      n === 0 ? { source: 'start', target } : { source: `n${n - 1}`, target, ...(sourceHandle && { sourceHandle }) },
    ),
  };
}

let nodeTypes: NodeTypes;
beforeAll(async () => {
  nodeTypes = await loadNodeTypes();
});

/** Compiles, and counts the rounds of the event loop meanwhile. */
async function compile(definition: unknown) {
  let [rounds, isDone] = [0, false];
  const goRound = (): void => {
    rounds += 1;
    if (!isDone) setImmediate(goRound);
  };
  setImmediate(goRound);
  const result = await runInTimeSlices(compileInSteps(definition, nodeTypes));
  isDone = true;
  return { rounds, issues: 'issues' in result ? result.issues : [] };
}

const cases = Array.from({ length: 100 }, (_, n) => ({ handle: `h${n}`, equals: n }));
const form = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };

describe('a large definition', () => {
  it.each([
    ['forms', chain({ type: 'human', parameters: { title: 'x', schema: form } })],
    ['scripts', chain({ type: 'code', parameters: { source: `return ${'a.b(1)+'.repeat(100)}1` } })],
    ['expressions', chain({ type: 'set', parameters: { fields: { a: `{{ [${'$input.a,'.repeat(99)}1] }}` } } })],
    ['handles', chain({ type: 'switch', parameters: { value: 1, cases } }, 'h99')],
  ])('lets others have their turn while its %s are compiled', async (_name, definition) => {
    const { rounds, issues } = await compile(definition);
    expect(issues).toEqual([]);
    expect(rounds).toBeGreaterThan(5);
  });

  it.each([
    [
      'edges that lead nowhere',
      { ...chain({ type: 'set' }), edges: Array.from({ length: 20_000 }, () => ({ source: 'a', target: 'b' })) },
    ],
    ['nodes of no type', chain({ type: 'unknown' })],
    ['outputs that do not exist', chain({ type: 'switch', parameters: { value: 1, cases } }, 'nowhere')],
  ])('stops being checked after enough issues: %s', async (_name, definition) => {
    const { issues } = await compile(definition);
    expect(issues.length).toBeGreaterThan(MAX_ISSUES);
    expect(issues.length).toBeLessThan(2 * MAX_ISSUES);
    expect(JSON.stringify(issues).length).toBeLessThan(20_000);
  });

  it('has a limit of work for suggestions, however many names are mistyped', () => {
    const long = 'a'.repeat(58);
    const ids = Array.from({ length: 4_999 }, (_, n) => `${long}${n + 100_000}`);
    const nodes = ids.map((id, n) => {
      const unknown = Array.from({ length: 20 }, (_, m) => `$nodes.${long}x${n}y${m}.output`);
      return { id, type: n % 2 === 0 ? 'sett' : 'set', parameters: { fields: { a: `{{ [${unknown.join()}] }}` } } };
    });
    const edges = ids.map((target, n) => ({ source: `${long}z${n}`, target }));
    const definition = { nodes: [{ id: 'start', type: 'trigger.manual' }, ...nodes], edges };
    const budget = { names: 5_000, cells: 2_000_000 };
    const messages = issuesOf(compileInSteps(definition, nodeTypes, Infinity, budget));
    expect(messages.length).toBeGreaterThan(50_000);
    expect(budget.cells).toBeGreaterThan(-10);
    const suggested = issuesOf(compileInSteps(definition, nodeTypes, Infinity)).filter((text) =>
      text.includes('did you mean'),
    );
    expect(suggested).toHaveLength(20);
  });
});

function issuesOf(steps: ReturnType<typeof compileInSteps>): string[] {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return 'issues' in step.value ? step.value.issues.map(({ message }) => message) : [];
}
