import { describe, expect, it } from '@jest/globals';
import { createFlushGate } from './batcher.ts';

const ignore = () => undefined;

describe('a flush gate', () => {
  it('is free while no flush is in progress', () => {
    const gate = createFlushGate({ concurrency: 2, onFree: ignore });
    expect(gate.isFree(false)).toBe(true);
    gate.begin();
    gate.end();
    expect(gate.isFree(false)).toBe(true);
  });

  it('lets the next batch gather while a flush is in progress, and calls onFree when it has ended', () => {
    let calls = 0;
    const gate = createFlushGate({ concurrency: 2, onFree: () => (calls += 1) });
    gate.begin();
    expect(gate.isFree(false)).toBe(false);
    gate.end();
    expect(calls).toBe(1);
    expect(gate.inProgress).toBe(0);
  });

  it('lets a full batch start beside another one, up to the allowed concurrency', () => {
    const gate = createFlushGate({ concurrency: 2, onFree: ignore });
    gate.begin();
    expect(gate.isFree(true)).toBe(true);
    gate.begin();
    expect(gate.isFree(true)).toBe(false);
  });

  it('does not wait longer than the delay for a slow flush', async () => {
    const gate = await new Promise<ReturnType<typeof createFlushGate>>((resolve) => {
      const waiting = createFlushGate({ concurrency: 2, onFree: () => resolve(waiting) });
      waiting.begin();
      expect(waiting.isFree(false)).toBe(false);
    });
    expect(gate.inProgress).toBe(1);
    expect(gate.isFree(false)).toBe(true);
  });
});
