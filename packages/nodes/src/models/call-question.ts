import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { type AgentTool, type CallEnd, NodeError, type Outcome, type WaitAnswer } from '@deckhand/engine';

/** Whether an agent may call a tool: at once, after a person approved the call, or never. */
export const PERMISSIONS = ['free', 'ask', 'forbidden'] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** Maximum length of the arguments of a call that a person decides about, in characters: a person reads all of them. */
const MAX_ASKED = 20_000;

const CHOICES = ['approved', 'rejected'];

/** Maximum depth of such arguments: each level indents all lines in it. */
const MAX_ASKED_DEPTH = 20;
/** Maximum length of what the model is told of a decision, in characters. */
const MAX_REFUSAL = 12_000;

/** Characters that are not seen, or change the order in which others are. The braille blank looks like a space. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Returns whether a person decides about the calls of a tool: as its author says, or else if it has effects and the
 * conversation contains text that the author of the workflow did not write.
 */
export function asksFirst(
  { hasEffects }: Pick<AgentTool, 'hasEffects'>,
  permission: Permission | undefined,
  hasForeignText: boolean,
): boolean {
  return permission === undefined ? hasEffects && hasForeignText : permission === 'ask';
}

/** Returns the question about a call. Its arguments are JSON that hides nothing, so that they cannot be mistaken. */
function questionText(tool: string, input: JsonValue): string {
  return `Call ${tool}?\n\n${visibleJson(input)}`;
}

/** Returns why a person cannot decide about these arguments; undefined if one can. */
export function questionProblem(input: JsonValue): string | undefined {
  if (isDeeperThan(input, MAX_ASKED_DEPTH))
    return `the arguments have more than ${MAX_ASKED_DEPTH} levels, and a person who decides about the call reads them`;
  // First as short as it gets: what a model sends may be large, and indented it is many times as large.
  const short = JSON.stringify(input).length;
  const length = short > MAX_ASKED ? short : visibleJson(input).length;
  return length <= MAX_ASKED
    ? undefined
    : `the arguments have ${length} characters, and a person who decides about the call reads ${MAX_ASKED} at most`;
}

function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

function visibleJson(input: JsonValue): string {
  const lines = JSON.stringify(input, undefined, 2).split('\n');
  return lines.map((line) => line.replace(HIDDEN, escaped)).join('\n');
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

/** Returns the wait for a decision about a call. @param dueAt in ms since the epoch; null if never. */
export function questionOf(tool: string, input: JsonValue, dueAt: number | null): Outcome {
  const details = { message: questionText(tool, input), choices: [...CHOICES] };
  return { kind: 'wait', wait: { kind: 'approval', details, dueAt } };
}

/** Converts the answer to a question. @throws NodeError APPROVAL_TIMEOUT; PARAMETERS_INVALID for another choice. */
export function decided(answer: WaitAnswer): Outcome {
  if (answer.kind === 'expired')
    throw new NodeError('APPROVAL_TIMEOUT', 'there was no decision in time', { isRetryable: false });
  const { decision } = isJsonObject(answer.value) ? answer.value : {};
  if (typeof decision !== 'string' || !CHOICES.includes(decision))
    throw new NodeError('PARAMETERS_INVALID', 'the decision is neither approved nor rejected', { isRetryable: false });
  return { kind: 'output', output: answer.value, handle: decision };
}

/** Returns what the model is told of a call that a person decided against. */
export function refusalText({ decision }: Extract<CallEnd, { kind: 'refusal' }>): string {
  const { comment } = isJsonObject(decision) ? decision : {};
  const why = typeof comment === 'string' && comment !== '' ? `: ${comment}` : '';
  return `a person decided against this call${why}`.slice(0, MAX_REFUSAL).toWellFormed();
}
