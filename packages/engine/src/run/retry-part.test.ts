import { describe, expect, it } from '@jest/globals';
import { NodeError } from '../outcome.ts';
import { MAX_PART_DELAY_MS, retryPart } from './retry-part.ts';

const RETRY = { maxAttempts: 3, delayMs: 100, factor: 2, maxDelayMs: 1_000 };

/** Does a part that throws these errors, one after the other, and then succeeds. */
async function attempt(errors: readonly Error[], { hasRetry = true, isHalted = false } = {}) {
  const left = [...errors];
  const delays: number[] = [];
  const halted = new AbortController();
  if (isHalted) halted.abort();
  const work = (): Promise<string> => {
    const error = left.shift();
    return error ? Promise.reject(error) : Promise.resolve('done');
  };
  const ports = {
    random: () => 0,
    sleep: (ms: number) => {
      delays.push(ms);
      return Promise.resolve();
    },
  };
  const result: unknown = await retryPart(work, {
    retry: hasRetry ? RETRY : undefined,
    ports,
    halt: () => halted.signal,
  }).catch((error: unknown) => error);
  return { result, delays };
}

const busy = (minRetryDelayMs?: number) =>
  new NodeError('HTTP_STATUS', 'busy', { minRetryDelayMs, details: { status: 429 } });

describe('a part of a node', () => {
  it('is tried again with the delays of its retry, and not before the time that the other side asks for', async () => {
    expect(await attempt([busy(), busy()])).toEqual({ result: 'done', delays: [100, 200] });
    expect(await attempt([busy(30_000)])).toEqual({ result: 'done', delays: [30_000] });
    expect(await attempt([new Error('reset')])).toEqual({ result: 'done', delays: [100] });
  });

  it('fails its node for good once all attempts are made, with the last error', async () => {
    const { result, delays } = await attempt([busy(), busy(), busy()]);
    expect(result).toMatchObject({ code: 'HTTP_STATUS', isRetryable: false, details: { status: 429 } });
    expect(delays).toEqual([100, 200]);
  });

  it('leaves to its node what it cannot try again: without retry, another failure, a long delay, a halted run', async () => {
    const final = new NodeError('HTTP_STATUS', 'gone', { isRetryable: false });
    const late = busy(MAX_PART_DELAY_MS + 1);
    const early = busy();
    expect(await attempt([early], { hasRetry: false })).toEqual({ result: early, delays: [] });
    expect(await attempt([final])).toEqual({ result: final, delays: [] });
    expect(await attempt([late])).toEqual({ result: late, delays: [] });
    expect(await attempt([early], { isHalted: true })).toEqual({ result: early, delays: [] });
    expect(await attempt([busy(MAX_PART_DELAY_MS)])).toMatchObject({ result: 'done' });
  });
});
