import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { Scope } from '../../expressions/scope.ts';
import { unsupported } from '../../unsupported.ts';
import type { Conversion, Converted } from '../converter.ts';
import { eachInLoop } from '../each-in-loop.ts';
import { type ChatModel, withoutPackage } from './chat-model.ts';
import { asObject, schemaOf } from './json-schemas.ts';
import type { Tools } from './tools.ts';

/** What a model is asked for each item. */
export interface Question {
  /** Returns the prompt, the system prompt and other parameters of the `model` node. */
  readonly ask: (scope: Scope) => JsonObject;
  readonly schema?: JsonObject;
  /** How often a response that does not fit the schema goes back to the model. */
  readonly maxRepairs?: number;
  /** The tools that it may call; it is an agent with them. */
  readonly tools?: Tools;
  /** JavaScript for the new item, made of the `text` of the response, of its `output` as JSON, and of `item`. */
  readonly item: string;
}

/** Asks a model once for each item. */
export function askEach(conversion: Conversion, model: ChatModel, question: Question): Converted {
  const { node } = conversion;
  const { ask, schema, maxRepairs = 0, item, tools } = question;
  return eachInLoop(conversion, {
    node: (id, scope) => ({
      id,
      type: tools ? 'agent' : 'model',
      name: node.name,
      parameters: {
        ...model.parameters,
        ...ask(scope),
        ...(schema && { outputSchema: schema, ...(!tools && { maxRepairs }) }),
      },
      ...(model.retry && { retry: model.retry }),
    }),
    lines: [
      ...(item.includes('readJson(') ? READ_JSON : []),
      `const make = ({ text, output }, item) => (${item});`,
      'const result = outputs.map((each, index) => make(each, items[index]));',
    ],
    shape: 'one',
    ...(tools && { body: tools }),
  });
}

/** JavaScript that reads JSON that a model may have written as a block of Markdown. */
const READ_JSON = [
  'const readJson = (written) => {',
  '  const trimmed = written.trim();',
  "  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```');",
  "  return JSON.parse(isFenced ? trimmed.slice(trimmed.indexOf('\\n'), -3) : trimmed);",
  '};',
];

/** The form that a parser gives the response of a model. */
export interface Parser {
  readonly schema: JsonObject;
  readonly maxRepairs: number;
  /** JavaScript for the item, of the `output` of the model. */
  readonly item: string;
}

/** Note of a schema that a model gets. */
export const SCHEMA =
  'the schema is given to the provider, in n8n it is part of the prompt; members beyond the schema are kept here, n8n leaves them out';

/** Returns the form that a parser gives the response; undefined without a parser. @throws UnsupportedError */
export function parserOf(
  { parts, attachedTo, parameters, node, review }: Conversion,
  always: number,
): Parser | undefined {
  const { hasOutputParser = node.version <= always } = parameters;
  const given = parts.find(({ kind }) => kind === 'ai_outputParser')?.node;
  if (hasOutputParser !== true || !given) return undefined;
  const isFixing = withoutPackage(given.type) === 'outputParserAutofixing';
  const inner = attachedTo(given.name).find(({ kind }) => kind === 'ai_outputParser')?.node;
  const parser = isFixing ? inner : given;
  if (!parser || withoutPackage(parser.type) !== 'outputParserStructured') {
    return unsupported(`a parser of the type ${withoutPackage(parser?.type ?? given.type)}`);
  }
  const { version } = parser;
  if (version < 1.1) return unsupported('version 1 of the Structured Output Parser');
  const schema = schemaOf(parser, version >= 1.3, version < 1.2 ? 'jsonSchema' : 'inputSchema');
  review(SCHEMA);
  const { schema: asked, value } = asObject(schema);
  return {
    schema: asked,
    maxRepairs: isFixing || parser.parameters.autoFix === true ? 1 : 0,
    item: `{ output: ${value} }`,
  };
}

/** Returns the text that a node asks about, by where it comes from. @throws UnsupportedError */
export function promptOf({ parameters }: Conversion): JsonValue {
  const { promptType = 'auto', text = '' } = parameters;
  switch (promptType) {
    case 'auto':
      return '={{ $json["chatInput"] }}';
    case 'guardrails':
      return '={{ $json["guardrailsInput"] }}';
    default:
      return text;
  }
}
