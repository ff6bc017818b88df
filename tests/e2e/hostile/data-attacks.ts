import type { Attack } from './attack.ts';
import { chainOf, listOf } from './scene.ts';

/** Runs whose nodes use all that they may. */
function ofRun(
  name: string,
  ends: string | RegExp,
  nodes: readonly object[],
  input: () => unknown = () => ({}),
): Attack {
  return { name, ends, launch: ({ attacker }) => attacker.runOnce(chainOf(...nodes), input()) };
}

const node = (type: string, parameters: object, others: object = {}) => ({ type, parameters, ...others });
const items = '{{ $trigger.items }}';
const text = '{{ $trigger.text }}';
const letters = (count: number): string => 'a'.repeat(count);

/** Data that makes nodes work as long as possible. */
export const DATA_ATTACKS: readonly Attack[] = [
  ofRun('dates: a format that backtracks', /^failed /, [
    node('dates', { operation: 'parse', date: '1'.repeat(1_000), inputFormat: 'uHuHuHuHuHuHuHuHuHuHuHuH' }),
  ]),
  ofRun(
    'csv: a header of 1.8 MB and 1.5 million rows',
    /^failed /,
    [node('csv', { operation: 'parse', text })],
    () => ({ text: `${letters(1_800_000)}\n${'1\n'.repeat(1_500_000)}` }),
  ),
  ofRun(
    'csv: 5 million delimiters',
    /^failed |^success/,
    [node('csv', { operation: 'parse', text, hasHeader: false })],
    () => ({ text: ','.repeat(4_999_999) }),
  ),
  ofRun('csv: a quote that never ends', /^failed /, [node('csv', { operation: 'parse', text })], () => ({
    text: `a\n"${'""'.repeat(2_400_000)}`,
  })),
  ofRun('csv: writes wide rows', /^failed |^success/, [node('csv', { operation: 'write', items })], () => ({
    items: listOf(20_000, (n) => ({ [`column${n}`]: n })),
  })),
  ofRun(
    'filter: in over two lists of 100,000',
    'success',
    [node('filter', { items, conditions: [{ operator: 'in', value: '{{ $trigger.others }}' }] })],
    () => ({ items: listOf(100_000, (n) => n), others: listOf(100_000, (n) => -n) }),
  ),
  ofRun(
    'filter: contains in long texts',
    /^failed |^success/,
    [node('filter', { items, conditions: [{ operator: 'contains', value: `${letters(50_000)}b` }] })],
    () => ({ items: listOf(40, () => letters(200_000)) }),
  ),
  ofRun('sort: 900,000 numbers', /^failed |^success/, [node('sort', { items, by: [{ order: 'descending' }] })], () => ({
    items: listOf(900_000, (n) => (n * 7_919) % 900_001),
  })),
  ofRun(
    'sort: texts that are alike to their ends',
    /^failed |^success/,
    [node('sort', { items, by: [{}], locale: 'de' })],
    () => ({ items: listOf(400, (n) => `${letters(20_000)}${n}`) }),
  ),
  ofRun(
    'aggregate: 300,000 groups',
    /^failed |^success/,
    [node('aggregate', { items, groupBy: ['g'], operations: [{ operation: 'list', as: 'all' }] })],
    () => ({ items: listOf(190_000, (n) => ({ g: n })) }),
  ),
  ofRun(
    'aggregate: distinct among large values',
    /^failed |^success/,
    [node('aggregate', { items, operations: [{ operation: 'distinct', as: 'all' }] })],
    () => ({ items: listOf(90, (n) => listOf(10_000, (m) => n * m)) }),
  ),
  ofRun('split: a text into five million', /^failed |^success/, [node('split', { text, separator: 'a' })], () => ({
    text: letters(4_999_999),
  })),
  ofRun('split: items with long neighbours', /^failed /, [node('split', { items, field: 'f' })], () => ({
    items: [{ f: listOf(100_000, (n) => n), neighbour: letters(100_000) }],
  })),
  ofRun('xml: a million open elements', /^failed /, [node('xml', { operation: 'parse', text })], () => ({
    text: '<a>'.repeat(333_000),
  })),
  ofRun('xml: attributes without end', /^failed |^success/, [node('xml', { operation: 'parse', text })], () => ({
    text: `<a ${listOf(80_000, (n) => `b${n}="1"`).join(' ')}/>`,
  })),
  ofRun('xml: entities in each other', /^failed /, [node('xml', { operation: 'parse', text })], () => ({
    text: `<!DOCTYPE a [${listOf(30, (n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`).join('')}]><a>&e30;</a>`,
  })),
  ofRun(
    'xml: writes a deep value',
    /^failed |^success/,
    [node('xml', { operation: 'write', value: '{{ $trigger }}' })],
    () => JSON.parse(`${'{"a":'.repeat(150)}1${'}'.repeat(150)}`),
  ),
  ofRun('xml: writes a large value', /^failed |^success/, [node('xml', { operation: 'write' })], () => ({
    items: listOf(150_000, (n) => ({ n })),
  })),
  ofRun(
    'hash: nine megabytes, fifty times',
    /^failed |^success/,
    listOf(50, () => 0).map(() => node('hash', { data: '{{ $trigger.text }}', algorithm: 'sha512' })),
    () => ({ text: letters(9_000_000) }),
  ),
  ofRun(
    'hmac: hex of nine megabytes',
    /^failed |^success/,
    [node('hash', { data: text, dataEncoding: 'hex' })],
    () => ({
      text: letters(9_000_000),
    }),
  ),
  ofRun(
    'switch: a hundred cases of large values',
    /^failed |^success/,
    [node('switch', { value: items, cases: listOf(100, (n) => ({ handle: `h${n}`, equals: items })) })],
    () => ({ items: listOf(90_000, (n) => [n]) }),
  ),
  ofRun(
    'set: an output that doubles thirty times',
    /^failed /,
    listOf(30, () => 0).map(() => node('set', { fields: { a: '{{ $input }}', b: '{{ $input }}' } })),
    () => ({ text: letters(1_000) }),
  ),
  ofRun(
    'merge: a large output thirty times over',
    /^failed |^success/,
    listOf(30, () => 0).map(() => node('set', { fields: { a: '{{ $trigger.text }}', b: '{{ $trigger.text }}' } })),
    () => ({ text: letters(4_000_000) }),
  ),
  ofRun(
    'expression: a pattern that backtracks',
    /^failed |^success/,
    [node('set', { fields: { a: '{{ $trigger.text.replace(/(a+)+$/, "") }}' } })],
    () => ({ text: `${letters(1_000_000)}b` }),
  ),
  ofRun('expression: texts that double', /^failed /, [
    node('set', { fields: { a: `{{ ${'['.repeat(20)}"ab".repeat(8000000)${']'.repeat(20)} }}` } }),
  ]),
  ofRun(
    'expression: loops in each other over a long list',
    /^failed /,
    [node('set', { fields: { a: '{{ $trigger.items.map(x => $trigger.items.map(y => x * y)) }}' } })],
    () => ({ items: listOf(100_000, (n) => n) }),
  ),
  ofRun(
    'expressions: thousands of them at their limits',
    /^failed |^success/,
    listOf(300, () => 0).map(() =>
      node('set', { fields: { a: '{{ $trigger.items.map(x => x + 1).filter(x => x > 5).length }}' } }),
    ),
    () => ({ items: listOf(20_000, (n) => n) }),
  ),
  ofRun('code: never ends', /^failed (CODE_LIMIT|NODE_TIMEOUT)/, [
    node('code', { source: 'for (;;) {}' }, { timeoutSeconds: 1 }),
  ]),
  ofRun('code: takes all memory', 'failed CODE_LIMIT', [
    node('code', { source: 'const all = []; for (;;) all.push(new Array(10000).fill(all.length))' }),
  ]),
  ofRun('code: a pattern that backtracks', /^failed (CODE_LIMIT|NODE_TIMEOUT|CODE_FAILED)/, [
    node('code', { source: `return /(a+)+$/.test('${letters(40)}b')` }, { timeoutSeconds: 1 }),
  ]),
  ofRun('code: an answer of millions of parts', /^failed /, [
    node('code', { source: 'return Array.from({ length: 3e6 }, () => [])' }),
  ]),
  {
    name: 'code: eight scripts at once that never end',
    ends: /^failed (CODE_LIMIT|NODE_TIMEOUT)/,
    async launch({ attacker }) {
      const id = await attacker.save(chainOf(node('code', { source: 'for (;;) {}' }, { timeoutSeconds: 1 })));
      const ends = await Promise.all(listOf(8, () => 0).map(() => attacker.run(id)));
      return ends[0] ?? '';
    },
  },
  ofRun('loop: ten thousand items, twenty at once', 'success', [node('loop', { items, concurrency: 20 })], () => ({
    items: listOf(9_999, (n) => n),
  })),
  {
    name: 'five hundred runs at once',
    ends: 'success',
    async launch({ attacker }) {
      const id = await attacker.save(chainOf(node('set', { fields: { a: 1 } })));
      const ends = await Promise.all(listOf(500, (n) => n).map((n) => attacker.run(id, { n })));
      return ends.find((end) => end !== 'success') ?? 'success';
    },
  },
  {
    name: 'a workflow that starts itself',
    ends: /^failed |^success|^not ended/,
    async launch({ attacker }) {
      const id = await attacker.save(chainOf(node('set', { fields: {} })));
      const again = node('workflow', { workflowId: id, waitForCompletion: false });
      await attacker.call('POST', `/api/workflows/${id}/versions`, {
        definition: chainOf(node('wait', { seconds: 1 }), again, again),
      });
      const end = await attacker.run(id);
      await attacker.call('DELETE', `/api/workflows/${id}`);
      return end;
    },
  },
];
