import { describe, expect, it } from '@jest/globals';
import { createTakeWatch, type TakeWatch } from './take-watch.js';

const look = (watch: TakeWatch, times: number): void => {
  for (let n = 0; n < times; n += 1) watch.look();
};
const never = (): Promise<unknown> => new Promise(() => undefined);

describe('a worker', () => {
  it('takes jobs for as long as the queue answers, and again once it does', () => {
    const watch = createTakeWatch({ isFull: () => false, probe: never });
    look(watch, 7);
    expect(watch.isTaking()).toBe(true);
    watch.turned();
    look(watch, 7);
    expect(watch.isTaking()).toBe(true);
    look(watch, 1);
    expect(watch.isTaking()).toBe(false);
    watch.turned();
    expect(watch.isTaking()).toBe(true);
  });

  it('that is full is asked for through the connection, one question at a time', async () => {
    let probes = 0;
    let isFull = false;
    const answers: (() => void)[] = [];
    const watch = createTakeWatch({
      isFull: () => isFull,
      probe: () => {
        probes += 1;
        return new Promise<void>((resolve) => answers.push(resolve));
      },
    });
    look(watch, 3);
    expect(probes).toBe(0);
    isFull = true;
    look(watch, 8);
    expect(probes).toBe(1);
    expect(watch.isTaking()).toBe(false);
    answers[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(watch.isTaking()).toBe(true);
    look(watch, 1);
    expect(probes).toBe(2);
    isFull = false;
    answers[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
    look(watch, 8);
    expect(probes).toBe(2);
    expect(watch.isTaking()).toBe(false);
  });
});
