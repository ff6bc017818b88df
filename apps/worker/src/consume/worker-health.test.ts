import { StoreError } from '@deckhand/db';
import { describe, expect, it } from '@jest/globals';
import { type ClaimHealth, createClaimHealth, createPollHealth, type PollHealth } from './worker-health.ts';

const AWAY = new StoreError('away', 'transient');
const REFUSED = new StoreError('permission denied', 'deployment');
const OF_A_ROW = new StoreError('too long', 'row');

const poll = (health: ClaimHealth, times: number): void => {
  for (let count = 0; count < times; count += 1) health.poll();
};
const failWith = (error: Error) => () => Promise.reject(error);
const succeed = () => Promise.resolve();
const read = (health: ClaimHealth, act: () => Promise<void>) => health.watchRead(act).catch(() => undefined);
const write = (health: ClaimHealth, act: () => Promise<void>) => health.watchWrite(act).catch(() => undefined);

describe('claims', () => {
  it('are unhealthy after eight polls without a response, and healthy again with the next response', async () => {
    const health = createClaimHealth();
    const responses: (() => void)[] = [];
    const claim = () => health.watchRead(() => new Promise<void>((resolve) => responses.push(resolve)));
    const claims = [claim(), claim()];
    poll(health, 7);
    expect(health.isHealthy()).toBe(true);
    poll(health, 1);
    expect(health.isHealthy()).toBe(false);
    responses[0]?.();
    await claims[0];
    expect(health.isHealthy()).toBe(true);
    poll(health, 8);
    expect(health.isHealthy()).toBe(false);
    responses[1]?.();
    await claims[1];
    poll(health, 20);
    expect(health.isHealthy()).toBe(true);
  });

  it('are unhealthy while the store is unavailable, also between attempts, but not when it refuses a row', async () => {
    const health = createClaimHealth();
    for (let count = 0; count < 8; count += 1) {
      await read(health, failWith(AWAY));
      expect(health.isHealthy()).toBe(true);
      poll(health, 1);
    }
    expect(health.isHealthy()).toBe(false);
    await read(health, failWith(OF_A_ROW));
    expect(health.isHealthy()).toBe(true);
  });

  it('are unhealthy while writes fail, even if reads succeed', async () => {
    const health = createClaimHealth();
    await write(health, failWith(AWAY));
    for (let count = 0; count < 8; count += 1) {
      await read(health, succeed);
      poll(health, 1);
    }
    expect(health.isHealthy()).toBe(false);
    await write(health, succeed);
    expect(health.isHealthy()).toBe(true);
  });

  it('are unhealthy at once after an error of the deployment, until a write succeeds', async () => {
    const health = createClaimHealth();
    await write(health, failWith(REFUSED));
    expect(health.isHealthy()).toBe(false);
    await read(health, succeed);
    expect(health.isHealthy()).toBe(false);
    await write(health, succeed);
    expect(health.isHealthy()).toBe(true);
  });
});

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
