import { describe, expect, it } from '@jest/globals';
import { createFairSemaphore } from './fair-semaphore.ts';

const never = new AbortController().signal;

/** A semaphore whose callers are recorded in the order in which they get a permit. */
function recordOrder(permits: number, permitsPerGroup = permits) {
  const semaphore = createFairSemaphore(permits, permitsPerGroup);
  const order: string[] = [];
  const releases: (() => void)[] = [];
  const acquire = (group: string, name = group, signal = never, member = '') =>
    semaphore.acquire(group, signal, member).then((release) => {
      order.push(name);
      releases.push(release);
    });
  /** Releases the oldest permit, and waits until the next caller has it. */
  const releaseOldest = async () => {
    releases.shift()?.();
    await new Promise(setImmediate);
  };
  return { acquire, order, releaseOldest, releases };
}

describe('a fair semaphore', () => {
  it('gives out no more permits than there are', async () => {
    const { acquire, order, releaseOldest } = recordOrder(2);
    for (const name of ['1', '2', '3']) void acquire('a', name);
    await new Promise(setImmediate);
    expect(order).toEqual(['1', '2']);
    await releaseOldest();
    expect(order).toEqual(['1', '2', '3']);
  });

  it('serves groups round-robin, however many callers of one wait', async () => {
    const { acquire, order, releaseOldest } = recordOrder(1);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void acquire('a', name);
    void acquire('b', 'b1');
    void acquire('c', 'c1');
    for (let i = 0; i < 6; i += 1) await releaseOldest();
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
  });

  it('serves the members of a group round-robin, too', async () => {
    const { acquire, order, releaseOldest } = recordOrder(1);
    for (const name of ['a1', 'a2', 'a3']) void acquire('group', name, never, 'a');
    for (const name of ['b1', 'b2']) void acquire('group', name, never, 'b');
    void acquire('other', 'o1');
    for (let i = 0; i < 6; i += 1) await releaseOldest();
    expect(order).toEqual(['a1', 'a2', 'o1', 'b1', 'a3', 'b2']);
  });

  it('keeps a permit free for others when a group has its share', async () => {
    const { acquire, order, releaseOldest } = recordOrder(3, 2);
    for (const name of ['a1', 'a2', 'a3']) void acquire('a', name);
    void acquire('b', 'b1');
    void acquire('b', 'b2');
    await new Promise(setImmediate);
    expect(order).toEqual(['a1', 'a2', 'b1']);
    await releaseOldest();
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (let i = 0; i < 2; i += 1) await releaseOldest();
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('skips callers that gave up, and counts a permit that is released twice once', async () => {
    const { acquire, order, releaseOldest, releases } = recordOrder(1);
    const abort = new AbortController();
    await acquire('a', 'a1');
    const leaving = acquire('b', 'b1', abort.signal);
    void acquire('c', 'c1');
    void acquire('d', 'd1');
    abort.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    releases[0]?.();
    await releaseOldest();
    expect(order).toEqual(['a1', 'c1']);
    await expect(acquire('e', 'e1', abort.signal)).rejects.toThrow('gone');
  });
});
