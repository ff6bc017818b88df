import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import type { Script } from '@deckhand/engine';
import { script } from '../../../../tests/harness/scripts.ts';
import { until } from '../../../../tests/harness/until.ts';
import { createScriptRunner } from './runner.ts';

const runner = createScriptRunner({ threads: 2 });
afterAll(() => runner.close());

const run = (source: string, given: Partial<Script> = {}) => runner.run(script(source, given));

async function outputOf(source: string, names: JsonObject = {}) {
  const result = await run(source, { names });
  if (result.kind === 'failure') throw new Error(result.failure.message);
  return result.output;
}

describe('a script', () => {
  it.each([
    ['return 1 + 1', 2],
    ['return', null],
    ['', null],
    [
      'return { a: undefined, b: () => 1, c: NaN, d: new Date(0), e: [undefined], f: new Map([[1, 2]]) }',
      { c: null, d: '1970-01-01T00:00:00.000Z', e: [null], f: {} },
    ],
    ['return await Promise.all([1, Promise.resolve(2), (async () => 3)()])', [1, 2, 3]],
    ['let n = 0; for await (const x of [1, 2, 3]) n += x; return n', 6],
    ['return new Date(2026, 0, 1).getTimezoneOffset()', 0],
    ['return "ä€😀" + "\\ud800"', 'ä€😀\ud800'],
    [
      'return [typeof $trigger, typeof $input, typeof $nodes, typeof $loop, typeof $vars, typeof $execution, typeof $now]',
      Array(7).fill('undefined'),
    ],
  ])('returns what it returns: %s', async (source, output) => {
    expect(await outputOf(source)).toEqual(output);
  });

  it('gets a copy of what its names stand for', async () => {
    const names = { $input: { list: [1], text: '😀\ud800' }, $vars: { a: 1 }, $now: '2026-11-20T08:15:00.000Z' };
    const before = structuredClone(names);
    const source = '$input.list.push(2); $vars.a = 3; return { ...$input, v: $vars.a, n: $now }';
    expect(await outputOf(source, names)).toEqual({ list: [1, 2], text: '😀\ud800', v: 3, n: names.$now });
    expect(names).toEqual(before);
  });

  it('finds nothing of the one before it, nor its random numbers', async () => {
    const source =
      'const old = globalThis.kept; globalThis.kept = 1; Array.prototype.map = null; return [old, Math.random()]';
    const outputs = await Promise.all(Array.from({ length: 6 }, () => outputOf(source)));
    expect(outputs.map((output) => (Array.isArray(output) ? output[0] : output))).toEqual(Array(6).fill(null));
    expect(new Set(outputs.map((output) => JSON.stringify(output))).size).toBeGreaterThan(1);
  });

  it('reads and returns megabytes', async () => {
    const items = Array.from({ length: 50_000 }, (_, index) => ({ index, text: 'x'.repeat(80) }));
    expect(await outputOf('return $input.items.map((item) => item.text)', { $input: { items } })).toEqual(
      items.map(({ text }) => text),
    );
  });

  it.each([
    ['\n\nreturn $input.a.b', 'CODE_FAILED', "TypeError: cannot read property 'a' of undefined (line 3)"],
    ['throw new Error("no stock")', 'CODE_FAILED', 'no stock (line 1)'],
    ['function f() {\n  throw new RangeError("bad");\n}\nreturn f()', 'CODE_FAILED', 'RangeError: bad (line 2)'],
    ['throw "text"', 'CODE_FAILED', 'text'],
    ['throw { code: 5 }', 'CODE_FAILED', '{"code":5}'],
    ['return 5n', 'CODE_FAILED', 'what the script returned is not JSON: a BigInt is none'],
    [
      'const a = {}; a.a = a; return a',
      'CODE_FAILED',
      'what the script returned is not JSON: TypeError: circular reference',
    ],
    ['return () => 1', 'CODE_FAILED', 'the script returned a function, which is not JSON'],
    ['return (', 'CODE_FAILED', "SyntaxError: unexpected token in expression: '}' (line 2)"],
    ['setTimeout(() => 1, 5)', 'CODE_FAILED', 'ReferenceError: setTimeout is not defined (line 1)'],
    ['await new Promise(() => {})', 'CODE_FAILED', 'the script waits for a promise that nothing will ever settle'],
    ['for (;;);', 'NODE_TIMEOUT', 'the script did not finish within 0.3 s'],
    [
      'const a = []; for (;;) a.push(Array(1000).fill(1))',
      'CODE_LIMIT',
      'the script needs more memory than the 16 MiB that it may use',
    ],
    [
      'const s = "x".repeat(4e6); return [s, s, s]',
      'CODE_LIMIT',
      'the output is longer than 10485760 characters of JSON',
    ],
    [
      'let a = []; for (let i = 0; i < 1001; i += 1) a = [a]; return a',
      'CODE_LIMIT',
      'the output nests deeper than 1000 levels',
    ],
  ])('fails with its reason: %s', async (source, code, message) => {
    // Memory and time enough for the outputs above; only scripts that never end exceed the time.
    const result = await run(source, {
      timeoutMs: code === 'NODE_TIMEOUT' ? 300 : 10_000,
      memoryBytes: message.includes('16 MiB') ? 16 * 1_048_576 : 67_108_864,
    });
    expect(result).toMatchObject({ kind: 'failure', failure: { code, isRetryable: code === 'NODE_TIMEOUT' } });
    expect(result).toHaveProperty('failure.message', expect.stringContaining(message));
  });

  it('that is given more data than it has memory is refused', async () => {
    const result = await run('return 1', { names: { $input: 'x'.repeat(200_000) }, memoryBytes: 100_000 });
    expect(result).toMatchObject({ kind: 'failure', failure: { code: 'CODE_LIMIT' } });
  });

  it('that is given the same data many times is refused before it is written', async () => {
    const large = Array.from({ length: 10 }, () => 'x'.repeat(1_000_000));
    // As text, 10 GB: more than the engine can write.
    const $input = Array.from({ length: 1_000 }, () => large);
    const result = await run('return 1', { names: { $input } });
    expect(result).toMatchObject({ kind: 'failure', failure: { code: 'CODE_LIMIT' } });
  });

  it('that returns what takes long to parse is refused', async () => {
    const result = await run('const o = {}; for (let i = 0; i < 60_000; i += 1) o["n" + i] = 1; return o');
    expect(result).toMatchObject({ kind: 'failure', failure: { code: 'CODE_LIMIT' } });
    expect(result).toHaveProperty('failure.message', expect.stringContaining('names'));
  });
});

describe('the console', () => {
  it('keeps what is written, also by a script that fails or is ended', async () => {
    const write =
      'console.log("a", 1, { b: [2] }, undefined, null, 3n, Symbol("s"), new TypeError("t")); console.warn("w"); console.error("e");';
    const lines = ['a 1 {"b":[2]} undefined null 3n Symbol(s) TypeError: t', 'warn: w', 'error: e'];
    for (const end of ['return 1', 'throw 1', 'for (;;);']) {
      const { console } = await run(`${write} ${end}`, { keepsConsole: true, timeoutMs: 300 });
      expect(console).toEqual(lines);
    }
    expect((await run(write)).console).toEqual([]);
  });

  it('has an end', async () => {
    const many = await run('for (let i = 0; i < 1000; i += 1) console.log(i)', { keepsConsole: true });
    expect(many.console).toHaveLength(201);
    expect(many.console.at(-1)).toBe('… further lines are left out');
    const long = await run('for (let i = 0; i < 20; i += 1) console.log("x".repeat(1e5))', { keepsConsole: true });
    expect(long.console[0]).toBe(`${'x'.repeat(4_096)}…`);
    expect(long.console.join('').length).toBeLessThan(70_000);
  });
});

describe('while scripts burn on every thread', () => {
  /** A script that the engine can interrupt, and one that it cannot. */
  const burning = ['for (;;);', 'return new Array(2 ** 32 - 1).join("x").length'];

  it('the process continues with other work', async () => {
    const abort = new AbortController();
    const results = burning.map((source) => run(source, { signal: abort.signal }).catch((error: unknown) => error));
    let beats = 0;
    const timer = setInterval(() => (beats += 1), 10);
    await until(() => beats >= 50, 'fifty beats');
    clearInterval(timer);
    abort.abort();
    expect(await Promise.all(results)).toMatchObject([{ name: 'AbortError' }, { name: 'AbortError' }]);
  });

  it('an abort ends each at once, and those in line too', async () => {
    const abort = new AbortController();
    const started = [...burning, 'return 1'].map((source) => run(source, { signal: abort.signal }));
    const ends = started.map((ending) => ending.catch((error: unknown) => error));
    const before = process.cpuUsage();
    await until(() => process.cpuUsage(before).user > 300_000, 'scripts that burn');
    abort.abort();
    const abortedAt = performance.now();
    expect(await Promise.all(ends)).toMatchObject(Array(3).fill({ name: 'AbortError' }));
    const passed = performance.now() - abortedAt;
    process.stdout.write(`Three scripts were ended ${passed.toFixed(1)} ms after the abort.\n`);
    expect(await outputOf('return 2')).toBe(2);
  });

  it('one of another run waits for one place, not for all of the first run', async () => {
    const one = createScriptRunner({ threads: 1 });
    const ends: string[] = [];
    const all = Array.from({ length: 20 }, (_, n) =>
      one.run(script('return 1', { executionId: 'busy' })).then(() => ends.push(`busy ${n}`)),
    );
    all.push(one.run(script('return 1', { executionId: 'other' })).then(() => ends.push('other')));
    await Promise.all(all);
    await one.close();
    // The first had its thread already, and one more got one.
    expect(ends.indexOf('other')).toBeLessThanOrEqual(2);
  });

  it('one of another workspace runs while scripts of the first fill all that is theirs', async () => {
    const one = createScriptRunner({ threads: 1 });
    const abort = new AbortController();
    const endless = Array.from({ length: 5 }, (_, n) =>
      one.run(script('while (true);', { executionId: `run ${n}`, timeoutMs: 60_000, signal: abort.signal })),
    );
    const ended = Promise.allSettled(endless);
    expect(await one.run(script('return 1', { workspaceId: 'another' }))).toMatchObject({ output: 1 });
    abort.abort();
    await ended;
    await one.close();
  });
});
