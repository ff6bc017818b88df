import { describe, expect, it } from '@jest/globals';
import { createTurns } from './turns.js';

const never = new AbortController().signal;

/** Everyone who asks is noted when their turn comes, and keeps the place until told. */
function room(places: number, perGroup = places) {
  const turns = createTurns(places, perGroup);
  const order: string[] = [];
  const giveBack: (() => void)[] = [];
  const ask = (group: string, name = group, signal = never, member = '') =>
    turns.take(group, signal, member).then((give) => {
      order.push(name);
      giveBack.push(give);
    });
  /** Gives back the oldest place, and lets who comes next be noted. */
  const next = async () => {
    giveBack.shift()?.();
    await new Promise(setImmediate);
  };
  return { ask, order, next, giveBack };
}

describe('turns', () => {
  it('are not more than there are places', async () => {
    const { ask, order, next } = room(2);
    for (const name of ['1', '2', '3']) void ask('a', name);
    await new Promise(setImmediate);
    expect(order).toEqual(['1', '2']);
    await next();
    expect(order).toEqual(['1', '2', '3']);
  });

  it('go around the groups, however long the line of one is', async () => {
    const { ask, order, next } = room(1);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name);
    void ask('b', 'b1');
    void ask('c', 'c1');
    for (let i = 0; i < 6; i += 1) await next();
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
  });

  it('go around the members of a group likewise', async () => {
    const { ask, order, next } = room(1);
    for (const name of ['a1', 'a2', 'a3']) void ask('group', name, never, 'a');
    for (const name of ['b1', 'b2']) void ask('group', name, never, 'b');
    void ask('other', 'o1');
    for (let i = 0; i < 6; i += 1) await next();
    expect(order).toEqual(['a1', 'a2', 'o1', 'b1', 'a3', 'b2']);
  });

  it('leave a place for others, which a group that has its share does not get', async () => {
    const { ask, order, next } = room(3, 2);
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    void ask('b', 'b1');
    void ask('b', 'b2');
    await new Promise(setImmediate);
    expect(order).toEqual(['a1', 'a2', 'b1']);
    await next();
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (let i = 0; i < 2; i += 1) await next();
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('of one who gave up go to the next, and a place that is given back twice is one place', async () => {
    const { ask, order, next, giveBack } = room(1);
    const abort = new AbortController();
    await ask('a', 'a1');
    const leaving = ask('b', 'b1', abort.signal);
    void ask('c', 'c1');
    void ask('d', 'd1');
    abort.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    giveBack[0]?.();
    await next();
    expect(order).toEqual(['a1', 'c1']);
    await expect(ask('e', 'e1', abort.signal)).rejects.toThrow('gone');
  });
});
