import type { Definition, JsonObject, JsonValue } from '@deckhand/contracts';
import fc from 'fast-check';

interface Draft {
  readonly kind: 'probe' | 'if' | 'merge' | 'wait' | 'loop' | 'while' | 'until' | 'race' | 'try';
  readonly picks: readonly number[];
  readonly onError: 'stop' | 'continue' | 'branch';
  readonly retry: 'none' | 'soon' | 'late';
  readonly isDisabled: boolean;
  readonly condition: boolean;
  readonly items: number;
  readonly concurrency: number;
  readonly body: readonly Draft[];
}

const draft: fc.Memo<Draft> = fc.memo((depth) =>
  fc.record({
    kind:
      depth > 1
        ? fc.constantFrom(
            'probe',
            'probe',
            'if',
            'merge',
            'wait',
            'loop',
            'loop',
            'while',
            'until',
            'race',
            'race',
            'try',
            'try',
          )
        : fc.constantFrom('probe', 'probe', 'if', 'merge', 'wait', 'race'),
    picks: fc.array(fc.nat(100), { minLength: 1, maxLength: 3 }),
    onError: fc.constantFrom('stop', 'continue', 'branch'),
    retry: fc.constantFrom('none', 'none', 'soon', 'soon', 'late'),
    isDisabled: fc.constantFrom(false, false, false, true),
    condition: fc.boolean(),
    items: fc.nat(4),
    concurrency: fc.integer({ min: 1, max: 3 }),
    body: depth > 1 ? fc.array(draft(depth - 1), { minLength: 1, maxLength: 4 }) : fc.constant([]),
  }),
);

/** Ends the ids of nodes that are tried again, by how long after a failure. */
const RETRIED = { none: '', soon: 'r', late: 'R' } as const;
/** Between two attempts of a node that is tried again late: it rests meanwhile. */
export const LATE_RETRY_MS = 600_000;
/** How long `wait` nodes wait. */
export const WAIT_SECONDS = 30;
/** How long a slow call takes: longer than any wait. */
const SLOW_CALL_MS = 3_600_000;
/** More than the failures of a flaky node and of workers together: the number of attempts does not affect the end. */
const ATTEMPTS = 10;
const RETRIES = {
  soon: { maxAttempts: ATTEMPTS, delayMs: 1 },
  late: { maxAttempts: ATTEMPTS, delayMs: LATE_RETRY_MS, maxDelayMs: LATE_RETRY_MS },
};

/** Number of failures of a node before it succeeds, for nodes with retries. */
export function failuresOf(seed: number, key: string): number {
  const [nodeId = ''] = key.split('/');
  return /r$/i.test(nodeId) ? hashOf(seed + 1, key) % 3 : 0;
}

/** Whether a node rests before its next attempt. */
export function isTriedLate(nodeId: string): boolean {
  return nodeId.endsWith(RETRIED.late);
}

/** How long one call of a node takes, in ms: most of them no time. */
export function callMsOf(seed: number, key: string): number {
  return hashOf(seed + 2, key) % 4 === 0 ? SLOW_CALL_MS : 0;
}

/** A node and one of its outputs. */
type Exit = [string, string | undefined];

/** What the last node of the body of a loop with a condition makes of its input. */
const SIZE_OF_INPUT = '{{ JSON.stringify($input).length }}';

/** The condition of a loop with so many iterations; one with `until` has at least one. */
function conditionOf(mode: 'while' | 'until', iterations: number): string {
  return mode === 'while' ? `{{ $loop.index < ${iterations} }}` : `{{ $loop.index >= ${iterations} }}`;
}

/** The number of iterations of a loop with such a condition. */
export function iterationsOf({ mode, condition }: JsonObject): number {
  const [digits = '0'] = /\d+/.exec(typeof condition === 'string' ? condition : '') ?? [];
  return mode === 'until' ? Math.max(1, Number(digits)) : Number(digits);
}

/** Turns drafts into a definition in which every edge leads forward and stays within its region. */
function toDefinition(drafts: readonly Draft[]): Definition {
  const nodes: Definition['nodes'] = [{ id: 'start', type: 'trigger.manual' }];
  const edges: Definition['edges'] = [];
  const seen = new Set<string>();

  function link(source: string, sourceHandle: string | undefined, target: string): void {
    const key = `${source}.${sourceHandle ?? ''} -> ${target}`;
    if (seen.has(key)) return;
    seen.add(key);
    edges.push(sourceHandle === undefined ? { source, target } : { source, sourceHandle, target });
  }

  function place(list: readonly Draft[], prefix: string, entry: Exit[]): readonly Exit[] {
    const exits: Exit[] = [...entry];
    list.forEach((one, index) => {
      const id = `${prefix}${index}${one.kind === 'probe' ? RETRIED[one.retry] : ''}`;
      for (const pick of one.picks) {
        const exit = exits[pick % exits.length];
        if (exit) link(...exit, id);
      }
      switch (one.kind) {
        case 'if':
          nodes.push({
            id,
            type: 'if',
            parameters: { condition: one.condition },
            ...(one.isDisabled ? { disabled: true } : {}),
          });
          exits.push([id, 'true'], [id, 'false']);
          break;
        case 'merge':
          nodes.push({ id, type: 'merge' });
          exits.push([id, undefined]);
          break;
        case 'race': {
          // Branches that lead only to the join, and others.
          for (const branch of place(one.body, `${id}_`, exits.slice(-2))) link(...branch, id);
          const count = 1 + (one.items % edges.filter(({ target }) => target === id).length);
          const cancelRest = one.concurrency > 1;
          const parameters: JsonObject = one.condition
            ? { mode: 'any', cancelRest }
            : { mode: 'count', count, cancelRest };
          nodes.push({ id, type: 'merge', parameters });
          exits.push([id, undefined]);
          break;
        }
        case 'wait':
          nodes.push({ id, type: 'wait', parameters: { seconds: WAIT_SECONDS } });
          exits.push([id, undefined]);
          break;
        case 'loop':
          nodes.push({
            id,
            type: 'loop',
            parameters: { items: Array.from({ length: one.items }, (_, i) => i), concurrency: one.concurrency },
          });
          place(one.body, `${id}_`, [[id, 'body']]);
          exits.push([id, 'done']);
          break;
        case 'try':
          nodes.push({ id, type: 'try' });
          place(one.body, `${id}_`, [[id, 'body']]);
          exits.push([id, 'success'], [id, 'error']);
          break;
        case 'while':
        case 'until':
          nodes.push({ id, type: 'loop', parameters: { mode: one.kind, condition: conditionOf(one.kind, one.items) } });
          // Its output, which is the next iteration's input, is small: otherwise it would grow exponentially.
          for (const exit of place(one.body, `${id}_`, [[id, 'body']])) link(...exit, `${id}_size`);
          nodes.push({ id: `${id}_size`, type: 'set', parameters: { fields: { size: SIZE_OF_INPUT } } });
          exits.push([id, 'done']);
          break;
        case 'probe':
          nodes.push({
            id,
            type: 'probe',
            onError: one.onError,
            ...(one.retry === 'none' ? {} : { retry: RETRIES[one.retry] }),
            ...(one.isDisabled ? { disabled: true } : {}),
          });
          exits.push([id, undefined]);
          if (one.onError === 'branch') exits.push([id, 'error']);
      }
    });
    return exits.slice(entry.length);
  }

  place(drafts, 'n', [['start', undefined]]);
  return { nodes, edges };
}

/** Definitions with branches, merges, nested loops and try nodes, and probes that may fail. */
export const randomGraph = fc.array(draft(3), { minLength: 1, maxLength: 7 }).map(toDefinition);

/** Returns a probe's output: the same for the same node and iteration, so that running it again makes no difference. */
export function answerOf(seed: number) {
  return (nodeId: string, iteration: string): JsonValue => {
    const hash = hashOf(seed, `${nodeId}/${iteration}`);
    return hash % 5 === 0 ? 'fail' : { nodeId, iteration };
  };
}

function hashOf(seed: number, text: string): number {
  let hash = seed;
  for (const char of text) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return hash;
}
