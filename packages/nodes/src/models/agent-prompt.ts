import type { LanguageModelV4Message, LanguageModelV4ToolResultPart, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@deckhand/contracts';
import type { AgentTurn } from '@deckhand/engine';
import { type Answer, type AnswerPart, readAnswer, readTold } from './agent-answer.ts';

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

/** Returns a turn as clients of providers take it: the answer, and what the model is told about it. */
export function messagesOf({ answer, results }: AgentTurn): LanguageModelV4Message[] {
  const said = readAnswer(answer);
  const parts = said.content.map(toPart);
  // Providers refuse empty messages.
  const content: AssistantMessage['content'] = parts.length > 0 ? parts : [{ type: 'text', text: '(nothing)' }];
  return [{ role: 'assistant', content }, ...repliesTo(said, results)];
}

function toPart(part: AnswerPart): AssistantMessage['content'][number] {
  const options = part.options === undefined ? {} : { providerOptions: providerOptions(part.options) };
  if (part.type !== 'call') return { type: part.type, text: part.text, ...options };
  const { id, tool } = part;
  return { type: 'tool-call', toolCallId: id, toolName: tool, input: part.arguments, ...options };
}

function providerOptions(options: JsonObject): SharedV4ProviderOptions {
  return Object.fromEntries(
    Object.entries(options).flatMap(([provider, values]) => (isJsonObject(values) ? [[provider, values]] : [])),
  );
}

function repliesTo({ content, problem }: Answer, results: AgentTurn['results']): LanguageModelV4Message[] {
  let next = 0;
  const replies = content.flatMap((part): LanguageModelV4ToolResultPart[] => {
    if (part.type !== 'call') return [];
    const reply = { type: 'tool-result' as const, toolCallId: part.id, toolName: part.tool };
    if (part.problem !== undefined) return [{ ...reply, output: { type: 'error-text', value: part.problem } }];
    const { text, isError } = readTold(results[next]);
    next += 1;
    return [{ ...reply, output: { type: isError ? 'error-text' : 'text', value: text } }];
  });
  return [
    ...(replies.length > 0 ? [{ role: 'tool' as const, content: replies }] : []),
    ...(problem === null ? [] : [{ role: 'user' as const, content: [{ type: 'text' as const, text: problem }] }]),
  ];
}
