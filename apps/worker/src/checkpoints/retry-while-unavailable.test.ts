import { StoreError } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { createRetryWhileUnavailable, retryDelayMs, RetriesEndedError } from './retry-while-unavailable.ts';

const AWAY = new StoreError('away', 'transient');
const logger = createLogger({ name: 'test', level: 'silent' });

describe('an operation on a store', () => {
  it.each([AWAY, new StoreError('permission denied', 'deployment'), new Error('unknown')])(
    'is retried until it succeeds after: %s',
    async (error) => {
      let failures = 2;
      const retry = createRetryWhileUnavailable({ ended: new AbortController().signal, logger });
      const result = await retry('test', () => {
        failures -= 1;
        return failures < 0 ? Promise.resolve('done') : Promise.reject(error);
      });
      expect([result, failures]).toEqual(['done', -1]);
    },
  );

  it('fails at once when the store refuses the values of a row', async () => {
    const refused = new StoreError('too long', 'row');
    let attempts = 0;
    const retry = createRetryWhileUnavailable({ ended: new AbortController().signal, logger });
    await expect(
      retry('test', () => {
        attempts += 1;
        return Promise.reject(refused);
      }),
    ).rejects.toBe(refused);
    expect(attempts).toBe(1);
  });

  it('is not retried once the worker has ended', async () => {
    const ended = new AbortController();
    const retry = createRetryWhileUnavailable({ ended: ended.signal, logger });
    const away = retry('test', () => Promise.reject(AWAY));
    ended.abort();
    await expect(away).rejects.toThrow(RetriesEndedError);
    await expect(retry('test', () => Promise.reject(AWAY))).rejects.toMatchObject({ cause: AWAY });
  });

  it('is not retried once its run is stopped', async () => {
    const stop = new AbortController();
    const retry = createRetryWhileUnavailable({ ended: new AbortController().signal, logger });
    const away = retry('test', () => Promise.reject(AWAY), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(away).rejects.toThrow('stopped');
    await expect(retry('test', () => Promise.reject(AWAY), stop.signal)).rejects.toThrow('stopped');
  });

  it('is retried with growing delays, up to 1 s, or 5 s after an error that a person has to fix', () => {
    const delays = (kind: 'transient' | 'deployment') => [1, 2, 3, 100].map((attempt) => retryDelayMs(attempt, kind));
    for (const [kind, longest] of [
      ['transient', 1_000],
      ['deployment', 5_000],
    ] as const) {
      const [first = 0, second = 0, third = 0, last = 0] = delays(kind);
      expect(first).toBeLessThanOrEqual(50);
      expect(second).toBeGreaterThan(first);
      expect(third).toBeGreaterThan(second);
      expect(last).toBeLessThanOrEqual(longest);
      expect(last).toBeGreaterThanOrEqual(0.75 * longest);
    }
  });
});
