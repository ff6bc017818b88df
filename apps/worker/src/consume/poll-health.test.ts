import { describe, expect, it } from '@jest/globals';
import { createPollHealth, type PollHealth } from './poll-health.ts';

const check = (health: PollHealth, times: number): void => {
  for (let n = 0; n < times; n += 1) health.check();
};
const never = (): Promise<unknown> => new Promise(() => undefined);

describe('polling', () => {
  it('is unhealthy after eight checks without a response, and healthy again with the next response', () => {
    const health = createPollHealth({ isFull: () => false, ping: never });
    check(health, 7);
    expect(health.isHealthy()).toBe(true);
    health.polled();
    check(health, 7);
    expect(health.isHealthy()).toBe(true);
    check(health, 1);
    expect(health.isHealthy()).toBe(false);
    health.polled();
    expect(health.isHealthy()).toBe(true);
  });

  it('is as healthy as pings, one at a time, while the worker is full', async () => {
    let pings = 0;
    let isFull = false;
    const responses: (() => void)[] = [];
    const health = createPollHealth({
      isFull: () => isFull,
      ping: () => {
        pings += 1;
        return new Promise<void>((resolve) => responses.push(resolve));
      },
    });
    check(health, 3);
    expect(pings).toBe(0);
    isFull = true;
    check(health, 8);
    expect(pings).toBe(1);
    expect(health.isHealthy()).toBe(false);
    responses[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(health.isHealthy()).toBe(true);
    check(health, 1);
    expect(pings).toBe(2);
    isFull = false;
    responses[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
    check(health, 8);
    expect(pings).toBe(2);
    expect(health.isHealthy()).toBe(false);
  });
});
