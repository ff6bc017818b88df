import { StoreError } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { createRetryWhileUnavailable, retryDelayMs, RetriesEndedError } from './retry-while-unavailable.js';

const AWAY = new StoreError('away', 'transient');
const logger = createLogger({ name: 'test', level: 'silent' });

describe('an operation on a store', () => {
  it.each([AWAY, new StoreError('permission denied', 'deployment'), new Error('unknown')])(
    'is repeated until it succeeds after: %s',
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

  it('fails for the values of a row at once', async () => {
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

  it('is given up once the worker has ended', async () => {
    const ended = new AbortController();
    const retry = createRetryWhileUnavailable({ ended: ended.signal, logger });
    const away = retry('test', () => Promise.reject(AWAY));
    ended.abort();
    await expect(away).rejects.toThrow(RetriesEndedError);
    await expect(retry('test', () => Promise.reject(AWAY))).rejects.toMatchObject({ cause: AWAY });
  });

  it('is repeated ever more slowly, at most once a second, or every five where somebody has to mend something', () => {
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
