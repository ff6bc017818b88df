/** The code of a thread of the pool: runs one script after another, each in a runtime of its own. */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';
import { runInSandbox } from './sandbox.ts';
import type { ScriptAnswer, ScriptTask } from './task.ts';

/** Memory of sandboxes, in bytes, above which it is freed after a script. */
const MAX_LEFT_BYTES = 16 * 1_048_576;

const wasm = new WebAssembly.Module(readFileSync(new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm'))));

export default async (task: ScriptTask): Promise<ScriptAnswer> => {
  Atomics.store(task.begun, 0, 1);
  const answer = await runInSandbox(wasm, task);
  if (getHeapStatistics().external_memory > MAX_LEFT_BYTES) await collectGarbage();
  return answer;
};

/**
 * Frees the memory of discarded sandboxes, some 60 MB after a script that returned a million items. V8 collects garbage
 * when memory is allocated, and this thread waits for its next script, or its end, without allocating any.
 */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
