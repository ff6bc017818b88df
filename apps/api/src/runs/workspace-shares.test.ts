import { describe, expect, it } from '@jest/globals';
import { createWorkspaceShares } from './workspace-shares.ts';

describe('the share of a workspace', () => {
  it('is refused beyond its size, and given again once some work is done, whether it failed or not', async () => {
    const shares = createWorkspaceShares();
    const ends: ((error?: Error) => void)[] = [];
    const work = () =>
      new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    const first = shares.within('a', 'exports', work);
    const second = shares.within('A', 'exports', work);
    const third = shares.within('a', 'exports', work);
    const refusal = { code: 'RATE_LIMITED', headers: { 'Retry-After': '1' } };
    await expect(shares.within('a', 'exports', work)).rejects.toMatchObject(refusal);
    expect(ends).toHaveLength(3);
    ends[0]?.();
    await first;
    ends[1]?.(new Error('failed'));
    await expect(second).rejects.toThrow('failed');
    ends[2]?.();
    await third;
    expect(await shares.within('a', 'exports', () => Promise.resolve('done'))).toBe('done');
  });

  it('is its own: other workspaces, and other kinds of work, have theirs', async () => {
    const shares = createWorkspaceShares();
    const never = () => new Promise<never>(() => undefined);
    for (let started = 0; started < 3; started += 1) void shares.within('a', 'exports', never);
    expect(await shares.within('b', 'exports', () => Promise.resolve(1))).toBe(1);
    expect(await shares.within('a', 'searches', () => Promise.resolve(2))).toBe(2);
  });

  it('is waited for in turn by work that may wait, until its signal aborts', async () => {
    const shares = createWorkspaceShares();
    const ends: (() => void)[] = [];
    const done: string[] = [];
    const never = new AbortController();
    const start = (name: string, { signal } = never) =>
      shares
        .onceFree('a', 'exports', () => new Promise<void>((end) => ends.push(end)), { signal })
        .then((isDone) => {
          done.push(`${name} ${isDone}`);
        });
    const [first, second, third] = ['first', 'second', 'third'].map((name) => start(name));
    const leaving = new AbortController();
    const [left, fourth, fifth] = [start('left', leaving), start('fourth'), start('fifth')];
    expect(ends).toHaveLength(3);
    leaving.abort();
    await left;
    ends[0]?.();
    await first;
    ends[1]?.();
    await second;
    expect(ends).toHaveLength(5);
    for (const end of ends) end();
    await Promise.all([third, fourth, fifth]);
    expect(done).toEqual(['left false', 'first true', 'second true', 'third true', 'fourth true', 'fifth true']);
  });
});
