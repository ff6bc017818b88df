import type { Attack } from './attack.ts';
import { listOf, outcomeOf } from './scene.ts';

const MAX_NODES = 5_000;

/** Saves a definition. */
function ofDefinition(name: string, ends: string | RegExp, definition: () => unknown): Attack {
  return {
    name: `saves ${name}`,
    ends,
    async launch({ attacker }) {
      const { workspaceId } = attacker;
      return outcomeOf(
        await attacker.call('POST', '/api/workflows', { workspaceId, name: 'W', definition: definition() }),
      );
    },
  };
}

/** The maximum number of nodes, in a chain. */
function fullOf(node: (n: number) => object, sourceHandle?: string) {
  const ids = listOf(MAX_NODES - 1, (n) => `n${n}`);
  return {
    nodes: [{ id: 'start', type: 'trigger.manual' }, ...ids.map((id, n) => ({ id, ...node(n) }))],
    edges: ids.map((target, n) =>
      n === 0 ? { source: 'start', target } : { source: `n${n - 1}`, target, ...(sourceHandle && { sourceHandle }) },
    ),
  };
}

const human = (schema: object) => ({ type: 'human', parameters: { title: 'x', schema } });
const one = (node: object) => ({
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'n0', ...node },
  ],
  edges: [{ source: 'start', target: 'n0' }],
});
const cases = (count: number) => listOf(count, (n) => ({ handle: `h${n}`, equals: n }));

/** Definitions that take long to check. */
export const DEFINITION_ATTACKS: readonly Attack[] = [
  ofDefinition('5,000 forms', '201', () =>
    fullOf(() => human({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } })),
  ),
  ofDefinition('forms of the largest size', '400 VALIDATION_FAILED', () =>
    fullOf((n) => (n < 700 ? human({ anyOf: listOf(490, (m) => ({ required: [`p${m}`] })) }) : { type: 'set' })),
  ),
  ofDefinition('a form of 45,000 fields', '400 VALIDATION_FAILED', () =>
    one(human({ properties: Object.fromEntries(listOf(45_000, (n) => [`p${n}`, { type: 'string', minLength: 1 }])) })),
  ),
  ofDefinition('a form that is nested without end', '400 VALIDATION_FAILED', () =>
    one(human(listOf(190, (n) => n).reduce<object>((schema) => ({ items: schema }), {}))),
  ),
  ofDefinition('5,000 loops in each other', '400 VALIDATION_FAILED', () =>
    fullOf(() => ({ type: 'loop', parameters: { items: '{{ $input }}' } }), 'body'),
  ),
  ofDefinition('20,000 edges by handles that are not there', '400 VALIDATION_FAILED', () => ({
    ...fullOf((n) => (n === 0 ? { type: 'switch', parameters: { value: 1, cases: cases(190_000) } } : { type: 'set' })),
    edges: listOf(20_000, (n) => ({ source: 'n0', target: `n${1 + (n % 4_990)}`, sourceHandle: `x${n}` })),
  })),
  ofDefinition('a cycle through all nodes', '400 VALIDATION_FAILED', () => {
    const { nodes, edges } = fullOf(() => ({ type: 'set' }));
    return { nodes, edges: [...edges, { source: `n${MAX_NODES - 2}`, target: 'n0' }] };
  }),
  ofDefinition('nine megabytes of scripts', /^201|^400 VALIDATION_FAILED/, () =>
    fullOf(() => ({ type: 'code', parameters: { source: `return ${'a.b(1)+'.repeat(250)}1` } })),
  ),
  ofDefinition('500,000 references', /^201|^400 VALIDATION_FAILED/, () =>
    fullOf((n) => ({
      type: 'set',
      parameters: { fields: { a: listOf(80, (m) => `{{ $nodes.n${(n * 7 + m) % (n || 1)}.output }}`).join('') } },
    })),
  ),
  ofDefinition('expressions that nest', /^201|^400 VALIDATION_FAILED/, () =>
    fullOf(() => ({ type: 'set', parameters: { fields: { a: `{{ ${'('.repeat(240)}1${')'.repeat(240)} }}` } } })),
  ),
  ofDefinition('a text of two million expressions', '400 VALIDATION_FAILED', () =>
    one({ type: 'set', parameters: { fields: { a: '{{1}}'.repeat(1_900_000) } } }),
  ),
  ofDefinition('patterns of expressions that are large', /^201|^400 VALIDATION_FAILED/, () =>
    fullOf(() => ({ type: 'set', parameters: { fields: { a: '{{ $input.a.replace(/(a{1,30}){1,30}/, "") }}' } } })),
  ),
  ofDefinition('5,000 nodes with five million faults', '400 VALIDATION_FAILED', () =>
    fullOf(() => ({ type: 'switch', parameters: { value: 1, cases: listOf(400, () => ({})) } })),
  ),
  ofDefinition('mocks of nine megabytes', '201', () =>
    fullOf((n) => ({ type: 'set', mock: listOf(180, (m) => n * m), parameters: { fields: {} } })),
  ),
  {
    name: 'saves twenty large definitions at once',
    ends: '201',
    async launch({ attacker }) {
      const { workspaceId } = attacker;
      const definition = fullOf(() => ({ type: 'code', parameters: { source: `return ${'a.b(1)+'.repeat(20)}1` } }));
      const save = () => attacker.call('POST', '/api/workflows', { workspaceId, name: 'W', definition });
      const replies = await Promise.all(listOf(20, () => 0).map(save));
      return outcomeOf(replies.find(({ status }) => status !== 201) ?? { status: 201, code: '' });
    },
  },
];
