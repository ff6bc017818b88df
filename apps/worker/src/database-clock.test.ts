import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDatabaseClock } from './database-clock.ts';

const START = Date.parse('2026-05-04T09:00:00Z');
const DAY_MS = 86_400_000;

beforeEach(() => {
  jest.useFakeTimers({ now: START });
});
afterEach(() => {
  jest.useRealTimers();
});

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the database clock', () => {
  it.each([DAY_MS, -DAY_MS])('follows the database when the wall clock is off by %d ms', async (offMs) => {
    const clock = createDatabaseClock(() => Promise.resolve(START));
    jest.setSystemTime(START + offMs);
    await clock.measure();
    expect(clock.now()).toBe(START);
    expect(clock.offsetMs()).toBe(offMs);
    jest.advanceTimersByTime(90_000);
    expect(clock.now()).toBe(START + 90_000);
  });

  it('is not affected when the wall clock is set', async () => {
    const clock = createDatabaseClock(() => Promise.resolve(START));
    await clock.measure();
    jest.setSystemTime(START + DAY_MS);
    expect(clock.now()).toBe(START);
    expect(clock.offsetMs()).toBe(DAY_MS);
  });

  it('is never ahead of the database, however long the response took', async () => {
    const clock = createDatabaseClock(async () => {
      const now = Date.now();
      await after(400);
      return now;
    });
    const measured = clock.measure();
    await jest.advanceTimersByTimeAsync(400);
    await measured;
    expect(clock.now()).toBe(START);
    expect(clock.offsetMs()).toBe(400);
  });

  it('does not go back because a later response took longer, but follows a database whose time was set', async () => {
    let answerMs = 0;
    let offMs = 0;
    const clock = createDatabaseClock(async () => {
      const now = Date.now() + offMs;
      await after(answerMs);
      return now;
    });
    const measure = async (): Promise<void> => {
      const measured = clock.measure();
      await jest.advanceTimersByTimeAsync(answerMs);
      await measured;
    };
    await measure();
    const before = clock.now();
    answerMs = 500;
    await measure();
    expect(clock.now()).toBeGreaterThanOrEqual(before);
    offMs = -3_600_000;
    answerMs = 0;
    await measure();
    expect(clock.now()).toBe(Date.now() - 3_600_000);
  });
});
