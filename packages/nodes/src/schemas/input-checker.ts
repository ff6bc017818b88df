import {
  type Check,
  compileUntrusted,
  estimateCheckCost,
  type InputSchema,
  isJsonObject,
  type JsonValue,
  parseOwnJson,
  type ValidationIssues,
} from '@deckhand/contracts';
import { nextSlice } from '@deckhand/runtime';
import type { SchemaChecker } from './schema-checker.ts';

/** Maximum cost of a schema that this thread compiles and checks: some 50 ms of compilation, once. */
const MAX_INLINE_COST = 2_500;
/** Maximum number of steps of a check on this thread: 20 ms. The usual check takes a thousandth of that. */
const MAX_INLINE_STEPS = 10_000_000;
/** For how long inputs are checked before the event loop continues, in ms: a batch has a thousand of them. */
const SLICE_MS = 10;
/** Maximum number of errors that a check on this thread can find. */
const MAX_INLINE_ERRORS = 100_000;
/** Maximum number of compiled schemas in memory. */
const MAX_COMPILED = 200;

/** An input, and the schema that its trigger enforces. */
export interface CheckedInput {
  /** Its checks share the thread fairly with those of others. */
  readonly workspaceId: string;
  readonly workflowVersionId: string;
  readonly triggerNodeId: string;
  /** Serialised `InputSchema`. */
  readonly inputSchema: string;
}

/** Checks serialised trigger data against a schema. @returns no issues if it fits, or paths within the data. */
export type InputChecker = (triggerData: string, input: CheckedInput) => Promise<ValidationIssues>;

interface Compiled {
  readonly member: string | undefined;
  /** Steps for each character of the data. */
  readonly cost: number;
  /** Undefined for a schema that only the thread compiles. */
  readonly check: Check<unknown> | undefined;
}

const FITS: ValidationIssues = { issues: [] };

/**
 * Creates a checker of inputs. The schema of a trigger in a version never changes, so it is compiled once. A schema
 * whose cost is bounded (`estimateCheckCost`) checks an input of usual size at once, in microseconds. Others, and large
 * inputs, are checked on the thread of `onThread`, which is ended if that takes too long.
 */
export function createInputChecker(onThread: SchemaChecker): InputChecker {
  const known = new Map<string, Compiled>();
  let spentMs = 0;
  let nextTurn: Promise<void> | undefined;

  /** Checks at once, unless the checks since the last turn of the event loop have taken long. */
  async function checkHere(check: Check<unknown>, data: unknown): Promise<ValidationIssues> {
    while (spentMs >= SLICE_MS) {
      nextTurn ??= nextSlice().then(() => {
        spentMs = 0;
        nextTurn = undefined;
      });
      await nextTurn;
    }
    const begunAt = performance.now();
    const result = check(data);
    spentMs += performance.now() - begunAt;
    return 'issues' in result ? result : FITS;
  }

  function compiledOf({ workflowVersionId, triggerNodeId, inputSchema }: CheckedInput): Compiled {
    const key = `${workflowVersionId} ${triggerNodeId}`;
    const found = known.get(key);
    if (found) return found;
    const compiled = compile(parseOwnJson<InputSchema>(inputSchema));
    const [oldest] = known.keys();
    if (known.size >= MAX_COMPILED && oldest !== undefined) known.delete(oldest);
    known.set(key, compiled);
    return compiled;
  }

  return async (triggerData, input) => {
    const { check, cost, member } = compiledOf(input);
    const trigger = parseOwnJson<JsonValue>(triggerData);
    const data = member === undefined ? trigger : isJsonObject(trigger) ? trigger[member] : undefined;
    if (data === undefined) return { issues: [{ path: member ?? '', message: 'is required' }] };
    const found =
      check && cost * triggerData.length <= MAX_INLINE_STEPS
        ? await checkHere(check, data)
        : await onThread.check(input.workspaceId, { details: input.inputSchema, data });
    if (member === undefined || found.issues.length === 0) return found;
    return { ...found, issues: found.issues.map((issue) => ({ ...issue, path: pathWithin(member, issue.path) })) };
  };
}

function compile({ schema, member }: InputSchema): Compiled {
  const cost = estimateCheckCost(schema);
  const compiled = cost <= MAX_INLINE_COST ? compileUntrusted(schema, MAX_INLINE_ERRORS / cost) : undefined;
  return { member, cost, check: compiled && 'check' in compiled ? compiled.check : undefined };
}

/** Returns the path of a part of a member. */
export function pathWithin(member: string, path: string): string {
  if (path === '') return member;
  return path.startsWith('[') ? `${member}${path}` : `${member}.${path}`;
}
