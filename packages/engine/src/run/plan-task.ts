import type { JsonValue } from '@deckhand/contracts';
import type { GraphNode } from '../compile/graph.ts';
import type { NodeFailure } from '../node-failure.ts';
import type { NodeType } from '../node-type.ts';
import {
  type BegunWait,
  begunWait,
  storedContainer,
  type StoredContainer,
  storedDetails,
  type NodeRecord,
} from './records.ts';

/** What becomes of a node that is ready. */
export type TaskPlan =
  /** An earlier worker finished it. */
  | { readonly kind: 'finished'; readonly record: NodeRecord }
  /** It failed at an earlier worker, which recorded this output. */
  | { readonly kind: 'failed'; readonly failure: NodeFailure; readonly output: JsonValue | undefined }
  /** It goes on waiting. */
  | { readonly kind: 'wait'; readonly begun: BegunWait; readonly record: NodeRecord }
  /** It is a container in progress. */
  | { readonly kind: 'resume'; readonly container: StoredContainer }
  /** It does not run, and has the output of its mock. */
  | { readonly kind: 'mock'; readonly output: JsonValue }
  /** Its worker died while it ran, and it must not run again. */
  | { readonly kind: 'interrupted'; readonly record: NodeRecord }
  /** It hands on its input. */
  | { readonly kind: 'disabled' }
  /** It runs beside others: it has effects, or may take long. */
  | { readonly kind: 'launch' }
  /** It runs, and is settled at once if it returns at once. */
  | { readonly kind: 'evaluate' };

/** What of a node decides about it. */
interface PlannedNode extends Pick<GraphNode, 'definition' | 'timeoutMs'> {
  readonly type: Pick<NodeType, 'hasEffects' | 'isTrigger' | 'container'>;
}

const DISABLED: TaskPlan = { kind: 'disabled' };
const LAUNCH: TaskPlan = { kind: 'launch' };
const EVALUATE: TaskPlan = { kind: 'evaluate' };

/**
 * Decides what becomes of a node that is ready. What its record settles comes first, and a mock before everything that
 * the node's settings say.
 * @param before what an earlier worker recorded for it.
 * @param mock its output in place of running it; undefined for none.
 */
export function planTask(
  { definition, type, timeoutMs }: PlannedNode,
  before: NodeRecord | undefined,
  mock: JsonValue | undefined,
): TaskPlan {
  const recorded = before && planFromRecord(before);
  if (recorded) return recorded;
  if (mock !== undefined) return { kind: 'mock', output: mock };
  if (before?.status === 'running' && definition.onInterrupt === 'fail') return { kind: 'interrupted', record: before };
  // A rerun may start from a trigger that was disabled since: it returns the trigger data as before.
  if (definition.disabled === true && !type.isTrigger) return DISABLED;
  // The effects and the time limit of an agent are those of its steps.
  if (type.container === 'agent') return EVALUATE;
  return type.hasEffects || timeoutMs !== undefined ? LAUNCH : EVALUATE;
}

/** Returns the plan for a node whose record settles it, or says how it goes on; undefined for others. */
function planFromRecord(record: NodeRecord): TaskPlan | undefined {
  if (record.status === 'success') return { kind: 'finished', record };
  if (record.status === 'failed' && record.error) {
    const failure = { ...record.error, isRetryable: false, details: storedDetails(record) };
    return { kind: 'failed', failure, output: record.output };
  }
  const begun = begunWait(record);
  if (begun) return { kind: 'wait', begun, record };
  const container = storedContainer(record);
  return container && { kind: 'resume', container };
}
