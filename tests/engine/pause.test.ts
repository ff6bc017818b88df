import { describe, expect, it } from '@jest/globals';
import { edges, type MemoryRun, type MemoryRunOptions, runInMemory } from '../harness/engine.ts';

const once = (rest: object = {}) => ({
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'call', type: 'probe', ...rest },
  ],
  edges: edges('start -> call'),
});

/** Runs an execution that a person pauses during its nth flush. */
async function pausedAtFlush(nth: number, definition: object, options: MemoryRunOptions = {}): Promise<MemoryRun> {
  let flushes = 0;
  return runInMemory(definition, {
    ...options,
    onFlush: () => (flushes += 1),
    isPaused: () => flushes >= nth,
  });
}

describe('a node with effects whose run is paused while its start goes to disk', () => {
  it.each([{}, { onInterrupt: 'fail' }])('does not begin, and begins once the run is resumed: %j', async (rest) => {
    const { ending, calls, last } = await pausedAtFlush(1, once(rest));
    expect({ ending, calls }).toEqual({ ending: { kind: 'halted' }, calls: [] });
    expect(last.get('call/')).toMatchObject({ status: 'pending', startedAt: null, attempts: 0 });

    const resumed = await runInMemory(once(rest), { records: last });
    expect({ ending: resumed.ending.kind, calls: resumed.calls }).toEqual({ ending: 'success', calls: ['call/'] });
    expect(resumed.last.get('call/')).toMatchObject({ status: 'success', attempts: 1 });
  });

  it('begins with the worker that still holds the run when it is resumed', async () => {
    let isPaused = false;
    let flushes = 0;
    const { ending, calls, journal } = await runInMemory(once({ onInterrupt: 'fail' }), {
      isPaused: () => isPaused,
      onFlush() {
        flushes += 1;
        isPaused = flushes === 1;
      },
      onRecord({ status }) {
        if (status === 'pending') isPaused = false;
      },
    });
    expect({ ending: ending.kind, calls }).toEqual({ ending: 'success', calls: ['call/'] });
    const ofCall = journal.filter(({ nodeId }) => nodeId === 'call');
    expect(ofCall.map(({ status }) => status)).toEqual(['running', 'pending', 'running', 'success']);
    const [running, pending, begun] = ofCall.map(({ startedAt }) => startedAt);
    expect(pending).toBeNull();
    expect(begun).toBeGreaterThan(running ?? Infinity);
  });

  it('begins even if the run was resumed while other runs had their turn', async () => {
    let isPaused = false;
    let pauses = 0;
    const fillers = Array.from({ length: 40 }, (_, i) => ({ id: `f${i}`, type: 'set', parameters: { fields: {} } }));
    const { nodes, edges: links } = once();
    const definition = {
      nodes: [...nodes, ...fillers],
      edges: [...links, ...edges('start -> f0', ...fillers.slice(1).map(({ id }, i) => `f${i} -> ${id}`))],
    };
    const { ending, calls, journal } = await runInMemory(definition, {
      isPaused: () => isPaused,
      onBreathe() {
        pauses += 1;
        isPaused ||= pauses === 1;
      },
      onRecord({ status }) {
        if (status === 'pending') isPaused = false;
      },
    });
    expect(journal.map(({ status }) => status)).toContain('pending');
    expect({ ending: ending.kind, calls }).toEqual({ ending: 'success', calls: ['call/'] });
  });

  it('is not tried again before the run is resumed, and keeps the attempts it made', async () => {
    const retry = { retry: { maxAttempts: 3, delayMs: 10 } };
    const answer = (): Error => new Error('not yet');
    const { calls, last } = await pausedAtFlush(2, once(retry), { answer });
    expect(calls).toEqual(['call/']);
    expect(last.get('call/')).toMatchObject({ status: 'pending', startedAt: expect.any(Number), attempts: 1 });

    const resumed = await runInMemory(once(retry), { records: last, answer });
    expect(resumed.calls).toHaveLength(2);
    expect(resumed.last.get('call/')).toMatchObject({ status: 'failed', attempts: 3 });
  });
});
