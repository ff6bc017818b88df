import { defineNodeType, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';
import { LOCK_EXAMPLE } from '../work/lock-example.ts';
import { keyParameter, keyText } from '../work/node-key.ts';

/** Longest rest of a node that waits, in ms. It is woken earlier when it has the lock. */
const MAX_REST_MS = 600_000;
/** Shortest rest, in ms: the engine spends a shorter one in the worker, where nothing ends it. */
const MIN_REST_MS = 5_001;

export default defineNodeType({
  type: 'lock',
  title: 'Lock',
  description:
    'Waits until this run may have the lock with a key, and passes its input on. Runs of a workspace, of any workflow, that lock the same key exclude each other; with `limit`, so many hold it at the same time. Those who wait get it in the order in which they came, and occupy no worker. The run holds it until an `unlock` node with the same key, or until the run ends in any way. Each `lock` node counts, so a run that locks a key twice waits for itself. When its time is up, the node fails with `LOCK_TIMEOUT`, up to 5 s late: handle that with `onError`.',
  keywords: ['mutex', 'semaphore', 'exclusive', 'critical section', 'concurrency'],
  category: 'flow',
  icon: 'lock',
  summary: '{key}',
  hasEffects: true,
  parameters: Type.Object(
    {
      key: keyParameter({ maxLength: 200, description: 'Names the lock in the workspace' }),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000, default: 1, description: 'How many may hold it at the same time' }),
      ),
      timeoutSeconds: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 31_536_000,
          description: 'How long it waits; without it, as long as the run may',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  unheeded: () => ({
    retry: 'does not request the lock again after the time is up',
    timeoutSeconds: 'does not limit the wait: use parameters.timeoutSeconds',
  }),
  takesLocks: true,
  restSeconds: 'timeoutSeconds',
  sample: () => ({}),
  errors: ['LOCK_TIMEOUT', 'LOCK_WAITING'],
  async run({ key, limit = 1, timeoutSeconds }, { services, input, workspaceId, executionId, nodeId, iteration }) {
    const verdict = await services.locks.acquire({
      ...{ workspaceId, executionId, nodeId, iteration, key: keyText(key) },
      maxHolders: limit,
      timeoutMs: timeoutSeconds === undefined ? null : timeoutSeconds * 1_000,
    });
    switch (verdict.kind) {
      case 'acquired':
        return output(input);
      case 'timedOut':
        throw new NodeError('LOCK_TIMEOUT', `the lock "${key}" was not free in time`, { isRetryable: false });
      case 'waiting': {
        const retryAfterMs = Math.min(Math.max(verdict.dueInMs ?? MAX_REST_MS, MIN_REST_MS), MAX_REST_MS);
        throw new NodeError('LOCK_WAITING', `waits for the lock "${key}"`, { retryAfterMs });
      }
    }
  },
  example: LOCK_EXAMPLE,
});
