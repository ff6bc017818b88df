import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../outcome.ts';
import { type Progress, afterAttempt, MAX_RETRY_DELAY_IN_WORKER_MS } from './progress.ts';

const retry = { maxAttempts: 3, delayMs: 1_000, factor: 2, maxDelayMs: 60_000 };
const LONG_MS = MAX_RETRY_DELAY_IN_WORKER_MS + 1;
const moment = { now: 500, random: 0 };
const first: Progress = { startedAt: 100, attempts: 1, debug: { input: 1 } };
const error = { code: 'BUSY', message: 'not now' };
const failure = (rest: object = {}, console?: readonly string[]): Outcome => ({
  kind: 'failure',
  failure: { ...error, isRetryable: true, ...rest },
  ...(console && { console }),
});
const failedFirst = { startedAt: 100, finishedAt: 500, error };

interface Case {
  readonly when: string;
  readonly retry?: typeof retry | undefined;
  readonly outcome?: Outcome;
  readonly progress?: Progress;
  readonly step: object;
}

describe('after an attempt', () => {
  it.each<Case>([
    { when: 'that succeeded, none follows', outcome: { kind: 'output', output: 1 }, step: { kind: 'settled' } },
    { when: 'that failed, none follows without a retry', retry: undefined, step: { kind: 'settled' } },
    {
      when: 'whose failure is permanent, none follows',
      outcome: failure({ isRetryable: false }),
      step: { kind: 'settled' },
    },
    {
      when: 'that was the last one, none follows',
      progress: { ...first, attempts: 3 },
      step: { kind: 'settled', progress: { attempts: 3 } },
    },
    {
      when: 'that failed, another one follows after the delay, without debug data of the one before',
      step: {
        kind: 'retry',
        delayMs: 1_000,
        progress: { startedAt: 100, attempts: 2, attemptHistory: [failedFirst], uncounted: 0 },
      },
    },
    {
      when: 'that failed again, the delay is longer',
      progress: { ...first, attempts: 2 },
      step: { kind: 'retry', delayMs: 2_000 },
    },
    {
      when: 'that came too early, another one follows although none is allowed',
      retry: undefined,
      outcome: failure({ retryAfterMs: 10, isRetryable: false }),
      progress: { ...first, attempts: 9, uncounted: 4 },
      step: { kind: 'retry', delayMs: 10, progress: { attempts: 10, uncounted: 5 } },
    },
    {
      when: 'those that came too early do not count',
      progress: { ...first, attempts: 9, uncounted: 8 },
      step: { kind: 'retry', delayMs: 1_000, progress: { attempts: 10, uncounted: 8 } },
    },
    {
      when: 'the other side may ask for a longer delay, which is a rest',
      outcome: failure({ minRetryDelayMs: LONG_MS }),
      step: { kind: 'rest', state: { retry: { dueAt: 500 + LONG_MS } } },
    },
    {
      when: 'the longest delay in the worker is not a rest',
      retry: { ...retry, delayMs: MAX_RETRY_DELAY_IN_WORKER_MS },
      step: { kind: 'retry', delayMs: MAX_RETRY_DELAY_IN_WORKER_MS },
    },
    {
      when: 'a rest keeps the attempts, the failure and the console',
      outcome: failure({ retryAfterMs: LONG_MS }, ['hello']),
      step: {
        kind: 'rest',
        failure: error,
        state: { retry: { dueAt: 500 + LONG_MS, uncounted: 1 } },
        progress: { attempts: 1, attemptHistory: [failedFirst], debug: { input: 1, console: ['hello'] } },
      },
    },
  ])('$when', ({ outcome = failure(), progress = first, step, ...node }) => {
    const rule = 'retry' in node ? node.retry : retry;
    expect(afterAttempt({ retry: rule }, outcome, progress, moment)).toMatchObject(step);
  });

  it('the outcome and the progress of the node are those of the attempt, if none follows', () => {
    const outcome = failure({ isRetryable: false });
    expect(afterAttempt({ retry }, outcome, first, moment)).toEqual({ kind: 'settled', outcome, progress: first });
  });
});
