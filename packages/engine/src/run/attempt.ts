import type { Credential, JsonValue } from '@deckhand/contracts';
import type { Outcome, WaitAnswer, WaitRequest } from '../outcome.ts';
import { failureOf, timeoutError } from './failure.ts';
import { type LazySignal, lazy } from './in-flight.ts';
import { expressionScope, nodeContext } from './node-scope.ts';
import { storeUncounted } from './records.ts';
import type { RunRequest } from './ports.ts';
import { type Kept, type Progress, withAttempt, withoutAttempt, type AfterAttempt, afterAttempt } from './progress.ts';
import type { Recorder } from './recorder.ts';
import { maskSecrets } from './secret-mask.ts';
import { inputOf, type Task } from './scope.ts';

/** Evaluates a task's parameters and runs its node once. Never throws, never rejects. */
export function attempt(request: RunRequest, task: Task, halt: LazySignal): Outcome | Promise<Outcome> {
  try {
    const parameters = task.node.evaluate(expressionScope(request, task));
    const opened: Credential[] = [];
    const context = nodeContext(request, task, { halt, onCredential: (credential) => opened.push(credential) });
    const outcome = task.node.type.run(parameters, context);
    return outcome instanceof Promise
      ? outcome.catch(toFailure).then((settled) => maskSecrets(settled, opened))
      : outcome;
  } catch (thrown) {
    return toFailure(thrown);
  }
}

/** Makes one attempt within the node's own time limit. Never rejects; once `halt` aborts, it may never resolve. */
async function attemptInTime(request: RunRequest, task: Task, halt: LazySignal): Promise<Outcome> {
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

/** How the attempts of a node ended in this worker, unless their outcome no longer matters. */
export type AttemptsEnd =
  | Exclude<AfterAttempt, { readonly kind: 'retry' }>
  /** A pause holds the node before its next attempt. */
  | { readonly kind: 'held'; readonly kept: Kept };

/** A task whose node makes attempts. */
export interface AttemptedTask {
  readonly request: RunRequest;
  readonly task: Task;
  readonly recorder: Recorder;
  /** Aborts the node. */
  readonly signal: LazySignal;
  /** Returns whether the outcome of the task no longer matters. */
  readonly isDropped: () => boolean;
}

/**
 * Makes attempts of a node until none follows in this worker.
 * @param from the first one. Its history is without it, unless it has begun.
 * @param begun the outcome of an attempt that has begun.
 * @returns undefined if the outcome no longer matters.
 * @throws what `ports.flush` throws.
 */
export async function makeAttempts(
  { request, task, recorder, signal, isDropped }: AttemptedTask,
  from: Progress,
  begun: Outcome | Promise<Outcome> | undefined,
): Promise<AttemptsEnd | undefined> {
  const { ports, control } = request;
  const { node, scope } = task;
  let next = from;
  let outcome = begun;
  for (;;) {
    const { attemptHistory } = next;
    const history = outcome === undefined ? withAttempt(attemptHistory, ports.now()) : attemptHistory;
    const progress: Progress = { ...next, attemptHistory: history, debug: debugOf(request, task) };
    if (outcome === undefined) {
      recorder.note(node, scope, 'running', progress, storeUncounted(progress.uncounted));
      if (node.type.hasEffects) await ports.flush();
      if (isDropped()) return undefined;
      // The pause may be on disk before this record, and the person was told that nothing starts.
      if (control.isPaused()) return { kind: 'held', kept: withoutAttempt({ ...progress, attemptHistory }) };
      outcome = attemptInTime(request, task, signal);
    }
    const ended = await outcome;
    if (isDropped()) return undefined;
    const step = afterAttempt(node, ended, progress, { now: ports.now(), random: ports.random() });
    if (step.kind !== 'retry') return step;
    await ports.sleep(step.delayMs, signal()).catch(() => undefined);
    if (isDropped()) return undefined;
    next = step.progress;
    outcome = undefined;
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
