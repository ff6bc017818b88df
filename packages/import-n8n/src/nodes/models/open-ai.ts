import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { convertText, convertValue } from '../../expressions/template.ts';
import type { Scope } from '../../expressions/scope.ts';
import { unsupported } from '../../unsupported.ts';
import { list, object, show, text } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete } from '../converter.ts';
import { reviewOthers } from '../triggers.ts';
import { askEach, type Question } from './ask.ts';
import { type ChatModel, noteModelCredential } from './chat-model.ts';

/** The role of a message, and its text. */
interface Message {
  readonly role: string;
  readonly text: JsonValue;
}

/** The message that comes first where the response is JSON. */
const AS_JSON: Message = { role: 'system', text: 'You are a helpful assistant designed to output JSON.' };

/** Sends messages to OpenAI. */
export function openAiNode(conversion: Conversion): Converted {
  const { node, parameters, parts, review } = conversion;
  const isNew = node.version >= 2;
  const { resource = 'text', operation = isNew ? 'response' : 'message', simplify = true } = parameters;
  if (resource !== 'text' || operation !== (isNew ? 'response' : 'message')) {
    return unsupported(`the operation ${show(operation)} of the resource ${show(resource)}`);
  }
  if (parts.some(({ kind }) => kind === 'ai_tool')) return unsupported('a model with tools');
  if (Object.keys(object(parameters.builtInTools)).length > 0) return unsupported('tools that the provider has');
  if (simplify !== true) return unsupported('the response as OpenAI sends it (simplify)');
  const { modelId } = parameters;
  const named = text(modelId) ?? text(object(modelId).value);
  if (named === undefined) return incomplete(conversion, 'no model');
  const given = list(object(isNew ? parameters.responses : parameters.messages).values).map(object);
  const messages = given.map(({ role = 'user', content = '', type = 'text' }): Message => {
    if (type !== 'text') return unsupported(`messages of the type ${show(type)}`);
    return { role: show(role), text: content };
  });
  if (messages.every((each) => show(each.text).trim() === '')) return incomplete(conversion, 'no message');
  const {
    maxTokens,
    temperature,
    textFormat,
    instructions,
    maxToolsIterations: _,
    ...others
  } = object(parameters.options);
  const format = object([object(textFormat).textOptions].flat()[0]);
  if (format.type === 'json_schema') return unsupported('a schema in the options of the model');
  reviewOthers(others, review);
  noteModelCredential(conversion, { node, provider: 'openai' });
  const isJson = isNew ? format.type === 'json_object' : parameters.jsonOutput === true;
  if (isJson) review('n8n has the provider respond with JSON (response_format); here the prompt alone asks for it');
  review(
    isNew
      ? 'the item has the messages of the output with their texts; ids and annotations are left out'
      : 'the item has index, message and finish_reason; other members of the choice are left out',
  );
  const all = [
    ...(instructions === undefined ? [] : [{ role: 'system', text: instructions }]),
    ...(isJson ? [AS_JSON] : []),
    ...messages,
  ];
  const isSorted =
    all.findLastIndex(({ role }) => role === 'system') < all.filter((each) => each.role === 'system').length;
  if (!isSorted) review('its system messages are one here, before all others');
  const limits = (scope: Scope): JsonObject => ({
    ...(maxTokens !== undefined && { maxOutputTokens: convertValue(maxTokens, scope) }),
    ...(temperature !== undefined && { temperature: convertValue(temperature, scope) }),
  });
  const model: ChatModel = { parameters: {}, isJson };
  const question: Question = {
    ask: (scope) => ({
      model: convertValue(named, scope),
      ...limits(scope),
      ...conversationOf(all, scope),
    }),
    item: itemOf(isNew, isJson),
  };
  return askEach(conversion, model, question);
}

/** Returns the messages as a `model` node has them: the last one of the user is its prompt. */
function conversationOf(all: readonly Message[], scope: Scope): JsonObject {
  const system = all.filter(({ role }) => role === 'system').map((each) => show(convertText(each.text, scope)));
  const said = all.filter(({ role }) => role !== 'system');
  const last = said.at(-1);
  const isAsked = last?.role === 'user';
  const before = (isAsked ? said.slice(0, -1) : said).map(({ role, text: each }) => ({
    role: role === 'assistant' ? 'assistant' : 'user',
    text: convertText(each, scope),
  }));
  // Without a message of the user, the instructions are what is asked.
  if (!last) return { prompt: system.join('\n\n') };
  return {
    ...(system.length > 0 && { system: system.join('\n\n') }),
    ...(before.length > 0 && { messages: before }),
    ...(isAsked && { prompt: convertText(last.text, scope) }),
  };
}

/** Returns JavaScript for the item: the choice of version 1, the output of version 2. */
function itemOf(isNew: boolean, isJson: boolean): string {
  const value = isJson ? '(() => { try { return JSON.parse(text); } catch { return text; } })()' : 'text';
  if (!isNew) return `{ index: 0, message: { role: 'assistant', content: ${value} }, finish_reason: 'stop' }`;
  const content = `[{ type: 'output_text', text: ${value} }]`;
  return `{ output: [{ type: 'message', status: 'completed', role: 'assistant', content: ${content} }] }`;
}
