import type { Script } from '@deckhand/engine';
import { createScriptRunner } from '@deckhand/nodes';

/** What running scripts of `code` nodes takes in this process, without a workflow around them. */
export interface ScriptsResult {
  /** The first script, with a thread to be started for it, in ms. */
  readonly coldStartMs: number;
  /** One after the other, in µs each. */
  readonly sequentialMicros: number;
  /** On all threads, in µs each. */
  readonly parallelMicros: number;
  /** From the abort of an endless script to its end, in ms. */
  readonly abortMs: number;
}

/** Measures trivial scripts, whose cost is that of the sandbox. */
export async function scripts(count: number): Promise<ScriptsResult> {
  const runner = createScriptRunner();
  try {
    const trivial = (): Promise<unknown> => runner.run(script('return $input.n + 1'));
    const coldStartMs = await timeOf(trivial);
    const sequential = await timeOf(async () => {
      for (let i = 0; i < count; i += 1) await trivial();
    });
    const parallel = await timeOf(() => Promise.all(Array.from({ length: count }, trivial)));
    const abort = new AbortController();
    const endless = runner.run(script('for (;;);', abort.signal)).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));
    abort.abort();
    const abortMs = await timeOf(() => endless);
    const micros = (ms: number): number => (ms * 1_000) / count;
    return { coldStartMs, sequentialMicros: micros(sequential), parallelMicros: micros(parallel), abortMs };
  } finally {
    await runner.close();
  }
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

function script(source: string, signal = new AbortController().signal): Script {
  return {
    source,
    names: { $input: { n: 1 } },
    workspaceId: 'bench',
    executionId: 'run',
    timeoutMs: 10_000,
    memoryBytes: 67_108_864,
    keepsConsole: false,
    signal,
  };
}
