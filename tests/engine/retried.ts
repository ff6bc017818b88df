import { edges } from '../harness/engine.ts';

/** Returns a workflow whose only node makes up to three attempts, with the same delay before each. */
export function retried(delayMs: number, rest: object = {}) {
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'call', type: 'probe', retry: { maxAttempts: 3, delayMs, factor: 1 }, ...rest },
    ],
    edges: edges('start -> call'),
  };
}
