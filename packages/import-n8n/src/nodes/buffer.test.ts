import { Buffer } from 'node:buffer';
import { createScriptRunner } from '@deckhand/nodes';
import { afterAll, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { bufferOf } from './buffer.ts';
import { readScript } from './script.ts';

const code = createScriptRunner();
afterAll(() => code.close());

const BYTES = [0, 0x41, 0x80, 0xa0, 0xbf, 0xc3, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xff];

/** Returns what a script returns after the class. */
async function run(script: string): Promise<unknown> {
  const source = [...bufferOf(readScript(script), () => undefined), script].join('\n');
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'script', type: 'code', parameters: { source } },
    ],
    edges: [{ source: 'start', target: 'script' }],
  };
  const { journal } = await runInMemory(definition, { trigger: {}, services: { code } });
  return journal.findLast(({ nodeId }) => nodeId === 'script')?.output;
}

it.each(['utf8', 'base64', 'base64url', 'hex', 'latin1'] as const)(
  'writes bytes of every kind as Node.js does: %s',
  async (encoding) => {
    const all = BYTES.flatMap((a) => BYTES.flatMap((b) => BYTES.map((c) => [a, b, c, a])));
    const script = `return ${JSON.stringify(all)}.map((bytes) => Buffer.from(bytes).toString('${encoding}'));`;
    expect(await run(script)).toEqual(all.map((bytes) => Buffer.from(bytes).toString(encoding)));
  },
);

it.each(['utf8', 'base64', 'base64url', 'hex', 'latin1'] as const)(
  'reads the texts that it writes: %s',
  async (encoding) => {
    const texts = ['', 'a', 'ab', 'abc', 'é€😀', '\ud800'].map((each) => Buffer.from(each).toString(encoding));
    const script = `return ${JSON.stringify(texts)}.map((text) => Buffer.from(text, '${encoding}'));`;
    expect(await run(script)).toEqual(texts.map((text) => Buffer.from(text, encoding).toJSON()));
  },
);

const OFFSETS = ['undefined', '-9', '-2', '0', '1', '2.5', '4', '9', 'NaN'];
const TEXTS = ["''", "'a'", "'ab'", "'é'", "'abéab'"];

it.each<[string, readonly string[]]>([
  [
    'constructor',
    [
      ...TEXTS.map((each) => `new Buffer(${each})`),
      "new Buffer('6162', 'hex')",
      'new Buffer([1, 300, -1])',
      'new Buffer(3)',
    ],
  ],
  [
    'from',
    ['(3)', '({})', '(null)', '(bytes)', '(bytes, 1)', '(bytes, 1, 2)', '(bytes, 9)', '({ length: 2, 0: 7 })'].map(
      (each) => `Buffer.from${each}`,
    ),
  ],
  [
    'alloc',
    [
      "(4, 'a')",
      "(5, 'ab')",
      "(4, '6162', 'hex')",
      "(4, '')",
      '(4, 257)',
      '(2, Buffer.from([1, 2, 3]))',
      '(-1)',
      "('3')",
      "(0, 'a')",
    ].map((each) => `Buffer.alloc${each}`),
  ],
  [
    'concat',
    ['', ', 0', ', 2', ', 3', ', 7'].map((each) => `Buffer.concat([Buffer.from('ab'), Buffer.from([255])]${each})`),
  ],
  [
    'toString',
    OFFSETS.flatMap((start) => OFFSETS.map((end) => `Buffer.from('aéb€').toString('utf8', ${start}, ${end})`)),
  ],
  [
    'indexOf',
    [...TEXTS, '97', '353', "Buffer.from('b')"].flatMap((value) =>
      OFFSETS.map((at) => `Buffer.from('abéab').indexOf(${value}, ${at})`),
    ),
  ],
  ['indexOf', ["('6162', 'hex')", "('YQ==', 1, 'base64')"].map((each) => `Buffer.from('abéab').indexOf${each}`)],
  [
    'includes',
    [...TEXTS, '195'].flatMap((value) => OFFSETS.map((at) => `Buffer.from('abéab').includes(${value}, ${at})`)),
  ],
  [
    'fill',
    [...TEXTS, '97', '353'].flatMap((value) =>
      ['undefined', '-1', '0', '2', '9'].flatMap((start) =>
        ['undefined', '-1', '3', '4', '9'].map((end) => `Buffer.alloc(4).fill(${value}, ${start}, ${end})`),
      ),
    ),
  ],
  [
    'fill',
    ["('6162', 'hex')", "('6162', 1, 'hex')", "('6162', 1, 3, 'hex')", '(Buffer.alloc(0))'].map(
      (each) => `Buffer.alloc(4).fill${each}`,
    ),
  ],
  [
    'slices',
    [
      "Buffer.from('abc').subarray(1).toString()",
      "Buffer.from('abc').slice(-2).toString()",
      "Buffer.from('abc').map((each) => each + 1).toString()",
    ],
  ],
])('does as Node.js: %s', async (_method, expressions) => {
  const results = expressions.map((each) => `() => ${each}`).join(', ');
  const script = `
    const bytes = new Uint8Array([1, 2, 3, 4]).buffer;
    const resultOf = (work) => { try { return { value: work() }; } catch { return 'fails'; } };
    return [${results}].map(resultOf);`;
  const expected: unknown = runInNewContext(`(() => {${script}})()`, { Buffer, ArrayBuffer, Uint8Array });
  const listed = (values: unknown): string[] =>
    [values].flat().map((each, n) => `${expressions[n]}: ${JSON.stringify(each)}`);
  expect(listed(await run(script))).toEqual(listed(JSON.parse(JSON.stringify(expected))));
});

it.each(['Buffer.from([1]).readUInt8(0);', 'Buffer.allocUnsafe(1);', 'Buffer.compare(a, b);'])(
  'makes a stub of a script that needs more: %s',
  (script) => {
    expect(() => bufferOf(readScript(script), () => undefined)).toThrow('the script uses');
  },
);
