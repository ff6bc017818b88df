import { type JsonObject, NODE_ERRORS } from '@deckhand/contracts';
import type { GraphNode } from '../compile/graph.ts';
import type { NodeType } from '../node-type.ts';
import { retryDelayMs } from '../run/progress.ts';
import type { Finding, Rule } from './rule.ts';

/* Settings of nodes, outside their parameters, that do not do what they seem to. */

const UNHEEDED_BY_TRIGGERS = { retry: 'has no effect on a trigger', timeoutSeconds: 'has no effect on a trigger' };

/** Finds `retry` and `timeoutSeconds` of a node whose type does not heed them. */
export const unheeded: Rule =
  () =>
  ({ definition, type }) => {
    const notes = type.isTrigger ? UNHEEDED_BY_TRIGGERS : (type.unheeded?.(definition.parameters ?? {}) ?? {});
    return (['retry', 'timeoutSeconds'] as const).flatMap((path): Finding[] => {
      const note = notes[path];
      if (definition[path] === undefined || note === undefined) return [];
      return [{ code: 'SETTING_HAS_NO_EFFECT', path, message: `${path} ${note}.` }];
    });
  };

/** Finds `retry` of a node that would fail the same way again. */
export const finalFailures: Rule =
  () =>
  ({ definition, retry, type }) => {
    // A node that takes too long may be faster the next time.
    if (!retry || retry.maxAttempts < 2 || definition.timeoutSeconds !== undefined) return [];
    if (!failsForGood(type, definition.parameters ?? {})) return [];
    const message = 'No failure of this node is retried: with the same data, it would fail the same way again.';
    return [{ code: 'RETRY_NEVER_HAPPENS', path: 'retry', message }];
  };

/** Whether no failure that the type names is retried. What has effects, or a source, may also fail in other ways. */
function failsForGood(
  { isTrigger, hasEffects, references, errors, unheeded }: NodeType,
  parameters: JsonObject,
): boolean {
  if (isTrigger || hasEffects || references || unheeded?.(parameters).retry !== undefined) return false;
  return errors.every((code) => NODE_ERRORS[code].retry === 'no');
}

/** Finds nodes that cannot decide by which output the run goes on. */
export const undecided: Rule =
  () =>
  ({ definition, handles, outgoing, type }) => {
    if (handles.size === 0 || outgoing.length === 0 || type.undecidedHandle !== undefined) return [];
    const takesNone = 'it takes none of its outputs, because each is a choice that it has not made';
    const code = 'NO_OUTPUT_TAKEN';
    if (definition.disabled === true)
      return [{ code, path: 'disabled', message: `While it is disabled, ${takesNone}.` }];
    return definition.onError === 'continue'
      ? [{ code, path: 'onError', message: `After an error, ${takesNone}; with "branch", the run goes on at "error".` }]
      : [];
  };

/** Finds nodes without the credential that they need. */
export const missingCredentials: Rule =
  () =>
  ({ definition, type }) => {
    const needed = type.credential?.needed?.(definition.parameters ?? {}) ?? [];
    if (definition.credentialId !== undefined || needed.length === 0) return [];
    const message = `The node fails: it needs a credential of type ${needed.join(' or ')}.`;
    return [{ code: 'CREDENTIAL_MISSING', path: 'credentialId', message }];
  };

/** A time limit that a node sets itself. */
interface NodeLimit {
  /** The path of the setting, relative to the node. */
  readonly path: string;
  readonly text: string;
  readonly ms: number;
  /** Whether the node rests during that time, so that no worker holds the run. */
  readonly isRest: boolean;
}

/**
 * Finds the limits of nodes that are longer than the limit of the run, which ends first. The default limit of a run
 * counts only time in which a worker holds it, so it does not limit a rest.
 */
export const timeLimits: Rule = ({ timeoutMs, countsHeldTime }) => {
  const ofRun = `${timeoutMs / 1_000} s (${countsHeldTime ? 'the default' : 'settings.timeoutSeconds'})`;
  return (node) =>
    limitsOf(node)
      .filter(({ ms, isRest }) => ms > timeoutMs && !(isRest && countsHeldTime))
      .map(({ path, text }) => ({
        code: 'LIMIT_EXCEEDS_RUN',
        path,
        message: `${text} longer than the limit of its run, ${ofRun}.`,
      }));
};

function limitsOf({ type, definition, retry, timeoutMs }: GraphNode): NodeLimit[] {
  const limits: NodeLimit[] = [];
  const isHeeded = type.unheeded?.(definition.parameters ?? {}).timeoutSeconds === undefined;
  if (timeoutMs !== undefined && isHeeded) {
    const text = `Its time limit, ${timeoutMs / 1_000} s, is`;
    limits.push({ path: 'timeoutSeconds', text, ms: timeoutMs, isRest: false });
  }
  const name = type.restSeconds;
  const seconds = name === undefined ? undefined : definition.parameters?.[name];
  if (typeof seconds === 'number') {
    const text = `Its wait, up to ${seconds} s, is`;
    limits.push({ path: `parameters.${name}`, text, ms: seconds * 1_000, isRest: true });
  }
  if (retry) {
    const ms = sumOfDelays(retry);
    const text = `Its retry delays, up to ${ms / 1_000} s in all, are`;
    limits.push({ path: 'retry', text, ms, isRest: true });
  }
  return limits;
}

function sumOfDelays(retry: NonNullable<GraphNode['retry']>): number {
  let sum = 0;
  for (let attempts = 1; attempts < retry.maxAttempts; attempts += 1) sum += retryDelayMs(retry, attempts, 0);
  return sum;
}
