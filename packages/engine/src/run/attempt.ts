import type { JsonValue } from '@deckhand/contracts';
import type { GraphNode } from '../compile/graph.ts';
import type { NodeFailure } from '../node-failure.ts';
import type { Outcome, WaitAnswer, WaitRequest } from '../node-type.ts';
import { failureOf, timeoutError } from './failure.ts';
import { type LazySignal, lazy } from './lazy.ts';
import { expressionScope, nodeContext } from './node-scope.ts';
import type { RunRequest } from './ports.ts';
import { createSecretMask } from './secret-mask.ts';
import type { NextIteration, Task } from './scheduler.ts';
import { inputOf } from './scope.ts';

/** Evaluates a task's parameters and runs its node once. Never throws, never rejects. */
export function attempt(request: RunRequest, task: Task, halt: LazySignal): Outcome | Promise<Outcome> {
  try {
    const parameters = task.node.evaluate(expressionScope(request, task));
    const secrets = createSecretMask();
    const context = nodeContext(request, task, { halt, onCredential: secrets.hide });
    const outcome = task.node.type.run(parameters, context);
    return outcome instanceof Promise ? outcome.catch(toFailure).then(secrets.mask) : outcome;
  } catch (thrown) {
    return toFailure(thrown);
  }
}

/** Makes one attempt within the node's own time limit. Never rejects; once `halt` aborts, it may never resolve. */
export async function attemptInTime(request: RunRequest, task: Task, halt: LazySignal): Promise<Outcome> {
  const { timeoutMs } = task.node;
  if (timeoutMs === undefined) return attempt(request, task, halt);
  const timeUp = new AbortController();
  const settled = new AbortController();
  const late = request.ports.sleep(timeoutMs, AbortSignal.any([halt(), settled.signal])).then(
    () => {
      const error = timeoutError(timeoutMs);
      timeUp.abort(error);
      return toFailure(error);
    },
    () => new Promise<Outcome>(() => undefined),
  );
  try {
    const either = lazy(() => AbortSignal.any([halt(), timeUp.signal]));
    return await Promise.race([attempt(request, task, either), late]);
  } finally {
    settled.abort();
  }
}

/** Converts the answer to a task's wait to its outcome. Never throws. */
export function resumeNode(
  request: RunRequest,
  task: Task,
  { wait, answer, halt }: { wait: WaitRequest; answer: WaitAnswer; halt: LazySignal },
): Outcome {
  const { resume, type } = task.node.type;
  try {
    if (!resume) throw new Error(`nodes of type ${type} do not wait`);
    return resume(answer, wait, nodeContext(request, task, { halt, onCredential: () => undefined }));
  } catch (thrown) {
    return toFailure(thrown);
  }
}

/**
 * Returns whether a loop with a condition goes on with an iteration, or why that cannot be said. In the condition,
 * `$loop` is the iteration that may begin: its number is that of the iterations so far.
 */
export function goesOn(
  request: RunRequest,
  { node, scope }: Task,
  { index, previous, rule: { mode, maxIterations } }: NextIteration,
): boolean | NodeFailure {
  // Without its last nodes, the body cannot make the condition come out otherwise.
  if (index > 0 && request.until && isCut(node, request.until)) return false;
  try {
    if (mode === 'while' || index > 0) {
      const loop = { item: index === 0 ? inputOf(node, scope) : previous, index, previous };
      const value = node.evaluateDeferred?.({ ...expressionScope(request, { node, scope }), loop });
      if (Boolean(value) === (mode === 'until')) return false;
    }
  } catch (thrown) {
    return failureOf(thrown);
  }
  if (index < maxIterations) return true;
  const message = `maxIterations (${maxIterations}) did not end it`;
  return { message, code: 'LOOP_TOO_LONG', isRetryable: false };
}

/** Returns whether a run up to a node leaves out a part of the body of a loop. */
function isCut({ body }: GraphNode, until: ReadonlySet<string>): boolean {
  return body?.nodes.some(({ id }) => !until.has(id)) === true;
}

/** Returns the debug data of a task; undefined in other modes. */
export function debugOf(request: RunRequest, task: Task): JsonValue | undefined {
  if (request.mode !== 'debug') return undefined;
  const input = inputOf(task.node, task.scope);
  try {
    return { parameters: task.node.evaluate(expressionScope(request, task)), input };
  } catch {
    // The failure itself is recorded by the attempt.
    return { input };
  }
}

function toFailure(thrown: unknown): Outcome {
  return { kind: 'failure', failure: failureOf(thrown) };
}
