import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { type AgentMemoryPlace, type MemoryExchange, type NodeContext, NodeError } from '@deckhand/engine';
import { type Answer, readAnswer, textOf } from './agent-answer.ts';
import type { Conversation } from './prompt.ts';

/** The memory that a node names. */
export interface MemoryUse {
  readonly key: string;
  readonly maxMessages?: number;
}

const MAX_MESSAGES = 20;

/** What an agent remembers, and where it writes to. */
export interface Remembered {
  readonly place: AgentMemoryPlace;
  readonly exchanges: readonly MemoryExchange[];
}

/**
 * Returns what an agent remembers: what it read before its first answer, so that each turn has the same conversation.
 * Undefined without a memory.
 * @throws NodeError AGENT_MEMORY_FULL; PARAMETERS_INVALID for a key that cannot be stored.
 */
export async function recall(
  use: MemoryUse | undefined,
  { agent, services, workspaceId, executionId }: NodeContext,
): Promise<Remembered | undefined> {
  if (!use || !agent) return undefined;
  const { key, maxMessages = MAX_MESSAGES } = use;
  if (key.includes('\0') || !key.isWellFormed()) {
    const message = 'parameters.memory.key: must not contain NUL, or half of a surrogate pair';
    throw new NodeError('PARAMETERS_INVALID', message, { isRetryable: false });
  }
  const place = { workspaceId, key, executionId, place: agent.place };
  const [first] = agent.turns;
  if (first) return { place, exchanges: readAnswer(first.answer).memory };
  return { place, exchanges: await services.agentMemories.read(place, Math.floor(maxMessages / 2)) };
}

/** Returns exchanges as messages before the prompt. */
export function messagesOfMemory(exchanges: readonly MemoryExchange[]): NonNullable<Conversation['messages']> {
  return exchanges.flatMap(({ prompt, answer }) => [
    { role: 'user' as const, text: orNothing(prompt) },
    { role: 'assistant' as const, text: orNothing(answer) },
  ]);
}

/** Returns a text that providers accept: they refuse blank ones. */
function orNothing(text: string): string {
  return text.trim() === '' ? '(nothing)' : text;
}

/** Returns what is remembered of a prompt and the last answer, which is the JSON that a schema asks for. */
export function exchangeOf(prompt: string | undefined, stored: JsonValue): MemoryExchange {
  const answer: Answer = readAnswer(stored);
  const said = isJsonObject(answer.output) ? JSON.stringify(answer.output) : textOf(answer);
  return { prompt: prompt ?? '', answer: orNothing(said) };
}
