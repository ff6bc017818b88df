import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { chainOf, type Scene } from './scene.ts';
import type { Sight, Watched } from './watch-thread.ts';

/** Runs the victim's workflow repeatedly, and probes the API, while `attack` lasts. */
export async function watch<T>(
  { api, victim }: Scene,
  workflowId: string,
  attack: () => Promise<T>,
): Promise<{ readonly outcome: T; readonly sight: Sight }> {
  const workerData: Watched = { url: api.url, key: victim.key, workflowId };
  const thread = new Worker(new URL('./watch-thread.ts', import.meta.url), { workerData, execArgv: [] });
  const seen = once(thread, 'message');
  try {
    await once(thread, 'online');
    const outcome = await attack();
    thread.postMessage('over');
    const [sight] = await seen;
    return { outcome, sight };
  } finally {
    await thread.terminate();
  }
}

/** The victim's workflow. */
export const VICTIMS_DEFINITION = chainOf(
  { parameters: { fields: { n: '{{ $trigger.n + 1 }}' } } },
  { type: 'if', parameters: { condition: '{{ $input.n > 0 }}' } },
);
