import { describe, expect, it } from '@jest/globals';
import { createFailureDelay } from './failure-delay.ts';

const { signal } = new AbortController();

/** A delay whose waits are noted, and end at once or never. */
function createNoted({ ends }: { ends: boolean }) {
  const waits: number[] = [];
  const clock = { now: 0 };
  const delay = createFailureDelay({
    wait: (ms) => {
      waits.push(ms);
      return ends ? Promise.resolve() : new Promise(() => undefined);
    },
    now: () => clock.now,
  });
  return { delay, waits, clock };
}

describe('failures of a caller', () => {
  it('wait longer each time, up to a bound, and not at first', async () => {
    const { delay, waits } = createNoted({ ends: true });
    for (let failure = 0; failure < 12; failure += 1) await delay('hook 203.0.113.1', signal);
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  });

  it('are counted apart from those of others, and forgotten after five quiet minutes', async () => {
    const { delay, waits, clock } = createNoted({ ends: true });
    for (let failure = 0; failure < 6; failure += 1) await delay('hook 203.0.113.1', signal);
    await delay('hook 203.0.113.2', signal);
    await delay('another 203.0.113.1', signal);
    clock.now += 300_000;
    await delay('hook 203.0.113.1', signal);
    expect(waits).toEqual([100]);
  });

  it('wait no more where very many wait already, so that they hold no more connections', async () => {
    const { delay, waits } = createNoted({ ends: false });
    for (let failure = 0; failure < 5; failure += 1) await delay('hook 203.0.113.1', signal);
    for (let failure = 0; failure < 600; failure += 1) void delay('hook 203.0.113.1', signal);
    expect(waits).toHaveLength(500);
    // It does not wait, and so responds at once.
    await delay('hook 203.0.113.1', signal);
    expect(waits).toHaveLength(500);
  });

  it('are counted for 10,000 callers at once', async () => {
    const { delay, waits } = createNoted({ ends: true });
    for (let failure = 0; failure < 5; failure += 1) await delay('first', signal);
    for (let caller = 0; caller < 10_000; caller += 1) await delay(`caller ${caller}`, signal);
    await delay('first', signal);
    expect(waits).toEqual([]);
  });

  it('end their wait when the caller goes away', async () => {
    const delay = createFailureDelay();
    const caller = new AbortController();
    // The last ones wait for 2 s.
    const waits = Array.from({ length: 20 }, () => delay('hook', caller.signal));
    const goneAt = performance.now();
    caller.abort();
    await Promise.all(waits);
    expect(performance.now() - goneAt).toBeLessThan(1_000);
  });
});
