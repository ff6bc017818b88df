/** The code of a thread of the pool: runs one script after another, each in a runtime of its own. */
import { readFileSync } from 'node:fs';
import { runInSandbox } from './sandbox.js';
import type { ScriptAnswer, ScriptTask } from './task.js';

const wasm = new WebAssembly.Module(readFileSync(new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm'))));

export default (task: ScriptTask): Promise<ScriptAnswer> => runInSandbox(wasm, task);
