import type { JsonValue } from '@deckhand/contracts';

/** A script that tries to get out, to take more than its share, or to break what reads its result. */
export interface HostileScript {
  readonly what: string;
  /** The body of a function. */
  readonly source: string;
  /** The same as an expression, where one can be written. */
  readonly expression?: string;
  /**
   * How it may end: with an output that gives nothing away, by its own failure, at a limit of what it uses, or when its
   * time is up.
   */
  readonly ends: readonly (JsonExpectation | 'failed' | 'limit' | 'late')[];
}

/** An output that is harmless. */
export interface JsonExpectation {
  readonly output: JsonValue;
}

const failed = ['failed'] as const;
const limit = ['limit'] as const;
const late = ['late'] as const;
const gives = (output: JsonValue): readonly [JsonExpectation] => [{ output }];

/** Names that a host of JavaScript may have, and a sandbox must not. */
const HOST_NAMES = [
  ...['process', 'require', 'module', 'exports', 'global', 'Buffer', '__dirname', '__filename', 'Deno', 'Bun'],
  ...['std', 'os', 'bjson', 'scriptArgs', 'print', 'load', 'loadFile', 'setTimeout', 'setInterval', 'setImmediate'],
  ...['fetch', 'XMLHttpRequest', 'WebSocket', 'WebAssembly', 'Worker', 'MessageChannel', 'BroadcastChannel'],
  ...['structuredClone', 'navigator', 'self', 'window', 'parentPort', 'workerData', 'Atomics', 'tell', 'names'],
];

const reachingOut: readonly HostileScript[] = [
  {
    what: 'names of a host',
    source: `return ${JSON.stringify(HOST_NAMES)}.filter((name) => name in globalThis || typeof globalThis[name] !== 'undefined')`,
    ends: gives([]),
  },
  { what: 'process', source: 'return process.env', expression: 'process.env', ends: failed },
  { what: 'require', source: 'return require("fs")', expression: 'require("fs")', ends: failed },
  {
    what: 'import of a module of the host',
    source: 'return await import("fs")',
    expression: 'import("fs")',
    ends: failed,
  },
  { what: 'import of node:', source: 'return await import("node:child_process")', ends: failed },
  { what: 'import of std', source: 'return await import("std")', ends: failed },
  { what: 'import of os', source: 'return await import("qjs:os")', ends: failed },
  { what: 'import of a file', source: 'return await import("/etc/passwd")', ends: failed },
  { what: 'import with an object as its name', source: 'return await import({ toString: () => "fs" })', ends: failed },
  {
    what: 'import of a data URL',
    source: 'return await import("data:text/javascript,export default 1")',
    ends: failed,
  },
  {
    what: 'the constructor of a constructor',
    source: 'return typeof (() => {}).constructor.constructor("return this")().process',
    expression: '(0).constructor.constructor("return process")()',
    ends: gives('undefined'),
  },
  {
    what: 'the constructor of an asynchronous function',
    source: 'return typeof (await (async () => {}).constructor("return this")()).require',
    expression: '(async () => {}).constructor("return this")()',
    ends: gives('undefined'),
  },
  {
    what: 'the constructor of a generator',
    source: 'return typeof (function* () {}).constructor("return this")().next().value.process',
    ends: gives('undefined'),
  },
  {
    what: 'Function from text',
    source: 'return new Function("return typeof process")()',
    expression: 'Function("return process")()',
    ends: gives('undefined'),
  },
  { what: 'eval', source: 'return eval("typeof process")', expression: 'eval("process")', ends: gives('undefined') },
  {
    what: 'eval by another name',
    source: 'return (0, eval)("typeof require")',
    expression: '(0, eval)("require")',
    ends: gives('undefined'),
  },
  {
    what: 'globalThis',
    source: 'return typeof globalThis.process',
    expression: 'globalThis.process',
    ends: gives('undefined'),
  },
  {
    what: 'a walk over everything that can be reached',
    source: `const seen = new Set();
      const found = [];
      const walk = (value, path) => {
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) {
          if (${JSON.stringify(HOST_NAMES)}.includes(key) && path !== '.RegExp.prototype') found.push(path + '.' + String(key));
          try { walk(value[key], path + '.' + String(key)); } catch {}
        }
        walk(Object.getPrototypeOf(value), path + '.__proto__');
      };
      walk(globalThis, '');
      return found;`,
    ends: gives([]),
  },
  { what: 'the caller', source: 'return (function f() { return f.caller })()', ends: failed },
  {
    what: 'the callee of its own function',
    source: 'return arguments.callee',
    expression: 'arguments.callee',
    ends: failed,
  },
  { what: 'this', source: 'return typeof this', expression: 'this', ends: gives('undefined') },
  {
    what: 'the frames of the host in a stack',
    source: 'return /node:|\\.js|worker|wasm/.test(new Error("x").stack)',
    ends: gives(false),
  },
  {
    what: 'Error.prepareStackTrace',
    source: `Error.prepareStackTrace = (error, frames) => frames.map((frame) => typeof frame.getThis?.() + typeof frame.getFunction?.());
      return String(new Error('x').stack).includes('object');`,
    ends: gives(false),
  },
  {
    what: 'closing the function around it',
    source: '}); globalThis.out = 1; (function () {',
    expression: '1); process; (1',
    ends: [...gives(null), 'failed'],
  },
  { what: 'the words between expressions', source: 'return "{{ $vars }}"', ends: gives('{{ $vars }}') },
  { what: 'an HTML comment', source: '<!-- return 1\nreturn 2', ends: [...gives(2), 'failed'] },
  { what: 'a comment at its end', source: 'return 3 //', ends: gives(3) },
  {
    what: 'Atomics.wait',
    source: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)',
    expression: 'Atomics.wait(1)',
    ends: failed,
  },
  {
    what: 'WebAssembly',
    source: 'return new WebAssembly.Module(new Uint8Array(8))',
    expression: 'new WebAssembly.Module()',
    ends: failed,
  },
  {
    what: 'memory shared with the host',
    source: 'return new SharedArrayBuffer(8).byteLength + typeof postMessage',
    ends: [...gives('8undefined'), 'failed'],
  },
];

const breakingTheResult: readonly HostileScript[] = [
  {
    what: 'a getter in the result',
    source: 'return { get a() { return 1 } }',
    expression: '({ get a() { return 1 } })',
    ends: gives({ a: 1 }),
  },
  { what: 'a getter that never returns', source: 'return { get a() { for (;;); } }', ends: late },
  { what: 'a getter that throws', source: 'return { get a() { throw new Error("no") } }', ends: failed },
  {
    what: '__proto__ as a key of the result',
    source: 'return JSON.parse(\'{"__proto__":{"polluted":1}}\')',
    ends: gives(JSON.parse('{"__proto__":{"polluted":1}}') as JsonValue),
  },
  {
    what: '__proto__ of the result',
    source: 'return { __proto__: { polluted: 1 } }',
    expression: '({ __proto__: { polluted: 1 } })',
    ends: gives({}),
  },
  { what: 'a change of Object.prototype', source: 'Object.prototype.polluted = 1; return {}', ends: gives({}) },
  {
    what: 'toJSON that lies',
    source: 'return { toJSON: () => "lie" }',
    expression: 'JSON.stringify({ toJSON: "x" })',
    ends: gives('lie'),
  },
  {
    what: 'toJSON of every object',
    source: 'Object.prototype.toJSON = () => { for (;;); }; return { a: 1 }',
    ends: late,
  },
  { what: 'JSON.stringify replaced', source: 'JSON.stringify = () => "}{"; return 1', ends: gives(1) },
  { what: 'JSON.parse replaced', source: 'JSON.parse = () => { throw 1 }; return 1', ends: gives(1) },
  {
    what: 'a proxy',
    source:
      'return new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: () => 2 })',
    expression: 'new Proxy({}, {})',
    ends: [...gives({ a: 2 }), ...gives({ a: 2, toJSON: 2 })],
  },
  { what: 'a proxy that is never done', source: 'return new Proxy({}, { ownKeys() { for (;;); } })', ends: late },
  {
    what: 'a revoked proxy',
    source: 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy',
    ends: failed,
  },
  { what: 'a cycle', source: 'const a = []; a.push(a); return a', ends: failed },
  { what: 'a BigInt', source: 'return 10n', expression: '10n', ends: failed },
  { what: 'a symbol', source: 'return Symbol.iterator', ends: failed },
  { what: 'a function', source: 'return () => 1', expression: 'x => x', ends: failed },
  { what: 'a thenable that settles twice', source: 'return { then(done) { done(1); done(2) } }', ends: gives(1) },
  { what: 'a thenable that never settles', source: 'return { then() {} }', ends: failed },
  { what: 'a lone surrogate', source: 'return "\\ud800"', ends: gives('\ud800') },
  { what: 'a zero character', source: 'return "\\u0000"', ends: gives('\u0000') },
  {
    what: 'an error with a message that never ends',
    source: 'throw { __proto__: Error.prototype, get message() { for (;;); } }',
    ends: late,
  },
  {
    what: 'an error whose message throws',
    source: 'throw { __proto__: Error.prototype, get message() { throw 1 } }',
    ends: failed,
  },
  {
    what: 'an error whose toString throws',
    source: 'throw { toString() { throw 1 }, toJSON() { throw 2 } }',
    ends: failed,
  },
  {
    what: 'an error whose stack is a getter',
    source: 'const e = new Error("x"); Object.defineProperty(e, "stack", { get() { throw 1 } }); throw e',
    ends: failed,
  },
  { what: 'null thrown', source: 'throw null', ends: failed },
  {
    what: 'a proxy thrown',
    source: 'throw new Proxy(new Error("x"), { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
    ends: failed,
  },
  {
    what: 'Symbol.hasInstance of Error',
    source: 'Object.defineProperty(Error, Symbol.hasInstance, { value() { for (;;); } }); throw 1',
    ends: [...late, ...failed],
  },
  {
    what: 'Promise.prototype.then replaced',
    source: 'Promise.prototype.then = () => 1; return 2',
    ends: [...gives(2), ...failed],
  },
  {
    what: 'the constructor of promises replaced',
    source: 'Object.defineProperty(Promise.prototype, "constructor", { get() { throw 1 } }); return 2',
    ends: [...gives(2), ...failed],
  },
  {
    what: 'a console with a cycle',
    source: 'const a = {}; a.a = a; console.log(a, new Proxy({}, { get() { throw 1 } })); return 1',
    ends: gives(1),
  },
  { what: 'a console that never ends', source: 'for (;;) console.log("x")', ends: late },
  { what: 'a console with a getter', source: 'console.log({ get a() { for (;;); } })', ends: late },
];

const takingTooMuch: readonly HostileScript[] = [
  {
    what: 'toJSON that calls itself',
    source: 'return { toJSON() { return JSON.stringify(this) } }',
    ends: [...failed, ...limit],
  },
  {
    what: 'deep data',
    source: 'let a = []; for (let i = 0; i < 5000; i += 1) a = [a]; return a',
    ends: [...limit, ...failed],
  },
  {
    what: 'very deep data',
    source: 'let a = []; for (let i = 0; i < 500000; i += 1) a = [a]; return a',
    ends: [...limit, ...failed],
  },
  {
    what: 'a long result',
    source: 'const s = "x".repeat(1e7); return [s, s]',
    expression: '["x".repeat(1e9)]',
    ends: limit,
  },
  { what: 'an error with a huge message', source: 'throw new Error("x".repeat(1e7))', ends: failed },
  {
    what: 'a console with huge text',
    source: 'for (let i = 0; i < 1000; i += 1) console.log("x".repeat(1e6)); return 1',
    ends: gives(1),
  },
  { what: 'a loop', source: 'for (;;);', ends: late },
  { what: 'a loop that catches', source: 'for (;;) { try { for (;;); } catch {} finally { for (;;); } }', ends: late },
  {
    what: 'a loop in a long function of the engine',
    source: 'return new Array(2 ** 32 - 1).join("x").length',
    ends: [...late, ...limit],
  },
  {
    what: 'a search without end in a sparse list',
    source: 'const a = []; a.length = 2 ** 32 - 1; return a.indexOf(1)',
    ends: [...late, ...gives(-1)],
  },
  { what: 'microtasks without end', source: 'for (;;) await null', ends: [...late, ...failed] },
  {
    what: 'promises that make promises',
    source: 'const f = () => Promise.resolve().then(f); await f()',
    ends: [...late, ...limit],
  },
  {
    what: 'many chains of microtasks',
    source:
      'const f = () => { Promise.resolve().then(f) }; for (let i = 0; i < 100; i += 1) f(); await new Promise(() => {})',
    ends: [...late, ...limit, ...failed],
  },
  { what: 'a promise that never settles', source: 'await new Promise(() => {})', expression: 'await 1', ends: failed },
  {
    what: 'a generator without end',
    source: 'return [...(function* () { for (;;) yield 1 })()]',
    ends: [...late, ...limit],
  },
  {
    what: 'an asynchronous generator without end',
    source: 'for await (const x of (async function* () { for (;;) yield 1 })());',
    ends: [...late, ...failed],
  },
  {
    what: 'an iterator that returns itself',
    source: 'const i = { [Symbol.iterator]: () => i, next: () => ({}) }; for (const x of i);',
    ends: late,
  },
  { what: 'deep recursion', source: 'const f = () => f() + 1; return f()', ends: [...failed, ...limit] },
  {
    what: 'deep recursion that catches',
    source: 'const f = () => { try { f() } catch { f() } }; f()',
    ends: [...late, ...failed, ...limit],
  },
  { what: 'deep recursion through the engine', source: 'const f = () => [1].map(f); f()', ends: [...failed, ...limit] },
  {
    what: 'deep JSON',
    source: 'return JSON.parse("[".repeat(1e6))',
    expression: 'JSON.parse("[".repeat(1e5) + "]".repeat(1e5))',
    ends: [...failed, ...limit],
  },
  {
    what: 'a deep source',
    source: `return ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    expression: `${'['.repeat(4_000)}${']'.repeat(4_000)}`,
    ends: [...failed, ...limit],
  },
  {
    what: 'deep proxies',
    source: 'let p = {}; for (let i = 0; i < 1e5; i += 1) p = new Proxy(p, {}); return p.x',
    ends: [...failed, ...limit, ...late],
  },
  { what: 'arrays without end', source: 'const a = []; for (;;) a.push(new Array(1000).fill(1))', ends: limit },
  { what: 'objects without end', source: 'let a = null; for (;;) a = { a }', ends: [...limit, ...late, ...failed] },
  {
    what: 'memory that is caught',
    source: 'const a = []; for (;;) { try { for (;;) a.push(new Array(1000).fill(1)) } catch {} }',
    ends: [...late, ...limit],
  },
  {
    what: 'text without end',
    source: 'let s = "x"; for (;;) s += s',
    expression: '[1, 2, 3].map(x => "x".repeat(1e8))',
    ends: [...failed, ...limit],
  },
  {
    what: 'one long text',
    source: 'return "x".repeat(2 ** 29)',
    expression: '"x".repeat(1e9)',
    ends: [...failed, ...limit],
  },
  { what: 'padding', source: 'return "x".padEnd(2 ** 29)', expression: '"x".padEnd(1e9)', ends: [...failed, ...limit] },
  { what: 'typed arrays without end', source: 'const a = []; for (;;) a.push(new Uint8Array(1e6))', ends: limit },
  {
    what: 'one large buffer',
    source: 'return new ArrayBuffer(2 ** 31 - 1).byteLength',
    expression: 'new ArrayBuffer(1)',
    ends: [...failed, ...limit],
  },
  {
    what: 'a buffer that grows',
    source: 'const b = new ArrayBuffer(1, { maxByteLength: 2 ** 31 - 1 }); b.resize(2 ** 31 - 1); return b.byteLength',
    ends: [...failed, ...limit],
  },
  {
    what: 'a map without end',
    source: 'const m = new Map(); for (let i = 0; ; i += 1) m.set(i, i)',
    ends: [...limit, ...late, ...failed],
  },
  {
    what: 'a large BigInt',
    source: 'let x = 2n; for (;;) x *= x',
    expression: '2n ** 1000000n',
    ends: [...failed, ...limit, ...late],
  },
  {
    what: 'symbols without end',
    source: 'for (let i = 0; ; i += 1) Symbol.for("s" + i)',
    ends: [...limit, ...late, ...failed],
  },
  {
    what: 'functions without end',
    source: 'const a = []; for (let i = 0; ; i += 1) a.push(new Function("return " + i))',
    ends: [...limit, ...late, ...failed],
  },
  {
    what: 'a regular expression that goes back and forth',
    source: 'return /^(a+)+$/.test("a".repeat(40) + "b")',
    ends: late,
  },
  { what: 'another such regular expression', source: 'return /(x+x+)+y/.test("x".repeat(60))', ends: late },
  {
    what: 'a regular expression that backtracks in a replacement',
    source: 'return "x".repeat(60).replace(/(.*)*y/, "")',
    ends: [...late, ...gives('x'.repeat(60)), ...limit, ...failed],
  },
  {
    what: 'a regular expression with a million repetitions',
    source: 'return new RegExp("(?:(?:a{1000}){1000}){1000}").test("a".repeat(1e6))',
    expression: '/((a{100}){100}){100}/.test("a")',
    ends: [...late, ...limit, ...failed, ...gives(false)],
  },
  {
    what: 'a deep regular expression',
    source: 'return new RegExp("(?:".repeat(1e5) + ")".repeat(1e5)).test("")',
    ends: [...failed, ...limit, ...gives(true)],
  },
  {
    what: 'a search that is slow',
    source: 'const s = "a".repeat(2e6); return s.lastIndexOf("b" + "a".repeat(1e6))',
    ends: [...late, ...gives(-1)],
  },
  {
    what: 'sorting with a comparator without sense',
    source: 'return Array.from({ length: 3e5 }, (_, i) => i).sort(() => Math.random() - 0.5).length',
    ends: [...late, ...gives(300_000)],
  },
  {
    what: 'finalizers',
    source: 'for (let i = 0; i < 1e4; i += 1) new FinalizationRegistry(() => { for (;;); }).register({}, 1); return 1',
    ends: [...gives(1), ...late],
  },
];

/** Known escapes from a sandbox, and known ways to block one. */
export const hostileScripts: readonly HostileScript[] = [
  ...reachingOut,
  ...breakingTheResult,
  // On a busy machine the time may be up before anything else is.
  ...takingTooMuch.map((script) => ({ ...script, ends: [...script.ends, 'late' as const] })),
];
