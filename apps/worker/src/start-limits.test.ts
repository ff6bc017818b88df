import { describe, expect, it } from '@jest/globals';
import { createWorkflowKeys } from './start-limits.ts';

describe('the keys of workflows', () => {
  it('are those of their expressions, and the event loop continues between them', async () => {
    const addKey = createWorkflowKeys();
    const end = performance.now() + 50;
    let rounds = 0;
    const goRound = (): void => {
      rounds += 1;
      if (performance.now() < end) setImmediate(goRound);
    };
    setImmediate(goRound);
    while (performance.now() < end) {
      const options = await addKey({ triggerData: '{"a":"x"}' }, { key: '{{ $trigger.a }}', limit: 2 });
      expect(JSON.parse(options)).toEqual({ concurrency: { key: 'x', limit: 2, onLimit: 'queue' } });
    }
    expect(rounds).toBeGreaterThan(1);
  });
});
