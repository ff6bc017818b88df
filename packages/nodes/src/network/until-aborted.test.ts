import { describe, expect, it } from '@jest/globals';
import { untilAborted } from './until-aborted.ts';

describe('work that may be aborted', () => {
  it('gives what it gives, or throws what it throws', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(signal, () => Promise.resolve(5))).resolves.toBe(5);
    await expect(untilAborted(signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('ends with the reason though it never would by itself', async () => {
    const abort = new AbortController();
    const waiting = untilAborted(abort.signal, () => new Promise(() => undefined));
    abort.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });

  it('is not begun after an abort', async () => {
    let isBegun = false;
    const begin = async (): Promise<void> => {
      isBegun = true;
    };
    await expect(untilAborted(AbortSignal.abort(new Error('stopped')), begin)).rejects.toThrow('stopped');
    expect(isBegun).toBe(false);
  });

  it('may fail unseen once it is aborted', async () => {
    const abort = new AbortController();
    let fail = (_error: Error): void => undefined;
    const waiting = untilAborted(abort.signal, () => new Promise((_resolve, reject) => (fail = reject)));
    abort.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
