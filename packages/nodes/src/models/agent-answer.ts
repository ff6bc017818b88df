import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import type { AgentCall, AgentTurn, CallEnd, MemoryExchange } from '@deckhand/engine';
import { excerpt } from '../text/limit.ts';
import { refusalText } from './call-question.ts';

/*
 * What the steps of an agent have in their records: answers of the model, and what it is told of its calls. All that
 * follows from them is a function of them.
 */

/** Maximum length of what the model is told of a call, in characters. */
const MAX_TOLD = 50_000;

/** The tool that an agent with a schema gives its answer by. */
export const ANSWER_TOOL = 'final_answer';

/** A part of an answer. `options` is what the provider wants to get back with it, such as a signature. */
export type AnswerPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string; readonly options?: JsonObject }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly tool: string;
      readonly arguments: JsonValue;
      /** Why the tool is not called. */
      readonly problem?: string;
      /** Whether a person decides about the call. */
      readonly asks?: boolean;
      readonly options?: JsonObject;
    };

/** Tokens as the provider counted them. */
export interface AnswerUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  /** In micro-dollars; null if it is unknown. */
  readonly costMicroUsd: number | null;
}

/** An answer of the model. */
export interface Answer {
  readonly content: readonly AnswerPart[];
  readonly isLast: boolean;
  /** What is wrong with an answer without calls, which is not the last one. */
  readonly problem: string | null;
  /** Of the last answer with a schema: its JSON. */
  readonly output: JsonValue;
  readonly finishReason: string;
  readonly usage: AnswerUsage;
  readonly warnings: readonly string[];
  /** Of the first answer: what the agent remembered before it. */
  readonly memory: readonly MemoryExchange[];
}

/** What the model is told of a call. */
export interface Told {
  readonly text: string;
  readonly isError: boolean;
}

/** Returns an answer as the record of its step has it. */
export function storeAnswer({ content, warnings, usage, memory, ...rest }: Answer): JsonObject {
  return {
    ...rest,
    usage: { ...usage },
    content: content.map((part) => ({ ...part })),
    warnings: [...warnings],
    ...(memory.length > 0 && { memory: memory.map((exchange) => ({ ...exchange })) }),
  };
}

/** Reads a recorded answer. */
export function readAnswer(stored: JsonValue): Answer {
  const { content, isLast, problem, output, finishReason, usage, warnings, memory } = isJsonObject(stored)
    ? stored
    : {};
  const tokens = isJsonObject(usage ?? null) ? usage : {};
  return {
    content: Array.isArray(content) ? content.flatMap(readPart) : [],
    isLast: isLast !== false,
    problem: typeof problem === 'string' ? problem : null,
    output: output ?? null,
    finishReason: typeof finishReason === 'string' ? finishReason : 'other',
    usage: readUsage(tokens ?? null),
    warnings: Array.isArray(warnings) ? warnings.filter((warning) => typeof warning === 'string') : [],
    memory: Array.isArray(memory) ? memory.flatMap(readExchange) : [],
  };
}

function readExchange(stored: JsonValue): MemoryExchange[] {
  const { prompt, answer } = isJsonObject(stored) ? stored : {};
  return typeof prompt === 'string' && typeof answer === 'string' ? [{ prompt, answer }] : [];
}

function readUsage(stored: JsonValue): AnswerUsage {
  const { inputTokens, outputTokens, cachedInputTokens, costMicroUsd } = isJsonObject(stored) ? stored : {};
  const count = (value: JsonValue | undefined): number => (typeof value === 'number' ? value : 0);
  return {
    inputTokens: count(inputTokens),
    outputTokens: count(outputTokens),
    cachedInputTokens: count(cachedInputTokens),
    costMicroUsd: typeof costMicroUsd === 'number' ? costMicroUsd : null,
  };
}

function readPart(stored: JsonValue): AnswerPart[] {
  if (!isJsonObject(stored)) return [];
  const { type, text, id, tool, problem, options } = stored;
  const more = options !== undefined && isJsonObject(options) ? { options } : {};
  if (type === 'text' || type === 'reasoning') return typeof text === 'string' ? [{ type, text, ...more }] : [];
  if (type !== 'call' || typeof id !== 'string' || typeof tool !== 'string') return [];
  const reason = typeof problem === 'string' ? { problem } : {};
  const asks = stored.asks === true ? { asks: true } : {};
  return [{ type, id, tool, arguments: stored.arguments ?? null, ...reason, ...asks, ...more }];
}

/** Returns the calls that an answer asks for; undefined if it was the last one. */
export function callsOf(stored: JsonValue): AgentCall[] | undefined {
  const { content, isLast } = readAnswer(stored);
  if (isLast) return undefined;
  return content.flatMap((part) =>
    part.type === 'call' && part.problem === undefined
      ? [{ nodeId: part.tool, input: part.arguments, asks: part.asks === true }]
      : [],
  );
}

/** Returns what the model is told of a call. Long outputs are cut: the records of the nodes have them whole. */
export function tell(end: CallEnd): JsonValue {
  if (end.kind === 'failure') {
    const { code, message } = end.failure;
    return { text: excerpt(`${code}: ${message}`), isError: true };
  }
  if (end.kind === 'refusal') return { text: refusalText(end), isError: true };
  const text = typeof end.output === 'string' ? end.output : JSON.stringify(end.output);
  if (text.length <= MAX_TOLD) return { text, isError: false };
  const cut = text.slice(0, MAX_TOLD);
  // Providers refuse half of a surrogate pair.
  const kept = cut.isWellFormed() ? cut : cut.slice(0, -1);
  return { text: `${kept}… (${text.length - kept.length} more characters)`, isError: false };
}

/** Reads what the model is told of a call. */
export function readTold(stored: JsonValue | undefined): Told {
  const { text, isError } = stored !== undefined && isJsonObject(stored) ? stored : {};
  return { text: typeof text === 'string' ? text : '', isError: isError === true };
}

/** Returns the output of an agent. */
export function outputOf(turns: readonly AgentTurn[]): JsonObject {
  const answers = turns.map(({ answer }) => readAnswer(answer));
  const last = answers.at(-1) ?? readAnswer(null);
  return {
    text: textOf(last),
    output: last.output,
    finishReason: last.finishReason,
    turns: answers.length,
    usage: { calls: answers.length, ...usageOf(answers) },
    warnings: [...new Set(answers.flatMap(({ warnings }) => warnings))],
  };
}

/** Returns the text of an answer. */
export function textOf({ content }: Pick<Answer, 'content'>): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the tokens and the cost of all answers together. The cost is unknown if that of one of them is. */
export function usageOf(answers: readonly Pick<Answer, 'usage'>[]): { [Name in keyof AnswerUsage]: AnswerUsage[Name] } {
  let costMicroUsd: number | null = 0;
  const sum = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  for (const { usage } of answers) {
    sum.inputTokens += usage.inputTokens;
    sum.outputTokens += usage.outputTokens;
    sum.cachedInputTokens += usage.cachedInputTokens;
    costMicroUsd = costMicroUsd === null || usage.costMicroUsd === null ? null : costMicroUsd + usage.costMicroUsd;
  }
  return { ...sum, costMicroUsd };
}
