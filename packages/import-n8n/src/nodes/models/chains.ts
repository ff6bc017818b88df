import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { braced, convertText, toExpression } from '../../expressions/template.ts';
import type { Scope } from '../../expressions/scope.ts';
import { fileOfItem } from '../../files.ts';
import { unsupported } from '../../unsupported.ts';
import { list, object, show } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete } from '../converter.ts';
import { reviewOthers } from '../triggers.ts';
import { askEach, parserOf, promptOf, SCHEMA } from './ask.ts';
import { chatModelOf, NO_MODEL } from './chat-model.ts';
import { asObject, schemaOf } from './json-schemas.ts';

/** Versions of a chain whose prompt is a parameter of its own, and what exports omit there. */
const OLD_PROMPTS: readonly (readonly [number, string])[] = [
  [1, '={{ $json.input }}'],
  [1.1, '={{ $json.chat_input }}'],
  [1.3, '={{ $json.chatInput }}'],
];
/** The last version without a choice of where the prompt comes from. */
const LAST_OLD_PROMPT = 1.3;

/** Asks a model, with messages before the prompt. */
export function chainNode(conversion: Conversion): Converted {
  const { node, parameters, review } = conversion;
  const model = chatModelOf(conversion);
  if (!model) return incomplete(conversion, NO_MODEL);
  const parser = parserOf(conversion, LAST_OLD_PROMPT);
  const prompt =
    node.version <= LAST_OLD_PROMPT
      ? (parameters.prompt ?? OLD_PROMPTS.findLast(([from]) => node.version >= from)?.[1] ?? '')
      : promptOf(conversion);
  const { batching: _, ...others } = object(parameters.options);
  reviewOthers(others, review);
  const messages = list(object(parameters.messages).messageValues).map(object);
  const ask = (scope: Scope): JsonObject => ({
    ...conversationOf(conversion, messages, scope),
    prompt: convertText(prompt, scope),
  });
  if (parser) return askEach(conversion, model, { ...parser, ask });
  if (!model.isJson) return askEach(conversion, model, { ask, item: '{ text: text.trim() }' });
  const isWhole = node.version >= 1.6;
  const json = '[readJson(text)].map((json) =>';
  const item = isWhole
    ? `${json} Array.isArray(json) ? { data: json } : json)[0]`
    : `${json} Array.isArray(json) ? { data: json } : { text: JSON.stringify(json) })[0]`;
  return askEach(conversion, model, { ask, item });
}

/** What messages of a chain are, by the names of n8n's library. */
const SYSTEM = 'SystemMessagePromptTemplate';
const USER = 'HumanMessagePromptTemplate';

/** Returns the messages before the prompt. @throws UnsupportedError */
function conversationOf({ input, review }: Conversion, given: readonly JsonObject[], scope: Scope): JsonObject {
  const last = given.at(-1);
  const hasImage = last?.type === USER && last.messageType === 'imageBinary';
  const texts = hasImage ? given.slice(0, -1) : given;
  const written = texts.map(({ type = SYSTEM, messageType = 'text', message = '' }) => {
    if (type === USER && messageType !== 'text') return unsupported(`messages of the type ${show(messageType)}`);
    return { type, text: convertText(message, scope) };
  });
  const system = written.filter(({ type }) => type === SYSTEM).map(({ text }) => text);
  const isFirst = written.slice(0, system.length).every(({ type }) => type === SYSTEM);
  if (system.length > 1 || !isFirst) review('its system messages are one here, before all others');
  const messages = written.flatMap(({ type, text }) =>
    type === SYSTEM ? [] : [{ role: type === USER ? 'user' : 'assistant', text }],
  );
  return {
    ...(system.length > 0 && { system: system.map((each) => show(each)).join('\n\n') }),
    ...(messages.length > 0 && { messages }),
    ...(hasImage && { files: [braced(fileOfItem(input, last.binaryImageDataKey ?? 'data', review))] }),
  };
}

/** What exports of Information Extractor omit. */
const EXTRACTION = [
  'You are an expert extraction algorithm.',
  'Only extract relevant information from the text.',
  "If you do not know the value of an attribute asked to extract, you may omit the attribute's value.",
].join('\n');

/** Reads values of a text by a schema. */
export function extractorNode(conversion: Conversion): Converted {
  const { node, parameters, review } = conversion;
  const model = chatModelOf(conversion);
  if (!model) return incomplete(conversion, NO_MODEL);
  const { systemPromptTemplate = EXTRACTION, batching: _, ...others } = object(parameters.options);
  reviewOthers(others, review);
  const attributes = list(object(parameters.attributes).attributes).map(object);
  const { schemaType = 'fromAttributes', text = '' } = parameters;
  if (schemaType === 'fromAttributes' && attributes.length === 0) return incomplete(conversion, 'no attribute');
  const schema = schemaType === 'fromAttributes' ? schemaOfAttributes(attributes) : schemaOf(node, node.version >= 1.2);
  const { schema: asked, value } = asObject(schema);
  review(SCHEMA);
  return askEach(conversion, model, {
    ask: (scope) => ({ system: convertText(systemPromptTemplate, scope), prompt: filled(text, 'Text', scope) }),
    schema: asked,
    maxRepairs: 1,
    item: `{ output: ${value} }`,
  });
}

function schemaOfAttributes(attributes: readonly JsonObject[]): JsonObject {
  const members = attributes.map(({ name, type = 'string', description = '' }): [string, JsonObject] => {
    const kind: JsonObject = type === 'date' ? { type: 'string', format: 'date' } : { type };
    return [show(name), description === '' ? kind : { ...kind, description }];
  });
  const required = attributes.filter((each) => each.required === true).map(({ name }) => show(name));
  return { type: 'object', properties: Object.fromEntries(members), ...(required.length > 0 && { required }) };
}

/** Returns a text that fails where it is empty, as in n8n. */
export function filled(given: JsonValue, what: string, scope: Scope): string {
  const text = `convert.string(${toExpression(given, scope)}) ?? ''`;
  const failing = `convert.object(${JSON.stringify(`${what} is not defined`)})`;
  return braced(`[${text}].map((text) => text.trim() === '' ? ${failing} : text)[0]`);
}
