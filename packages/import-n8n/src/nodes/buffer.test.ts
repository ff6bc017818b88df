import { Buffer } from 'node:buffer';
import { createScriptRunner } from '@deckhand/nodes';
import { afterAll, expect, it } from '@jest/globals';
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

it.each(['Buffer.from([1]).readUInt8(0);', 'Buffer.allocUnsafe(1);', 'Buffer.compare(a, b);'])(
  'makes a stub of a script that needs more: %s',
  (script) => {
    expect(() => bufferOf(readScript(script), () => undefined)).toThrow('the script uses');
  },
);
