import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { braced, convertText, isExpression } from '../../expressions/template.ts';
import type { Scope } from '../../expressions/scope.ts';
import { unsupported } from '../../unsupported.ts';
import { list, object, show } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete, maybeEmpty } from '../converter.ts';
import { reviewOthers } from '../triggers.ts';
import { filled } from './chains.ts';
import { askEach } from './ask.ts';
import { chatModelOf } from './chat-model.ts';

/** What exports omit. */
const CLASSIFICATION =
  "Please classify the text provided by the user into one of the following categories: {categories}, and use the provided formatting instructions below. Don't explain, and only output the json.";
/** Maximum number of categories: each has an output. */
const MAX_CATEGORIES = 50;

interface Categories {
  readonly names: readonly string[];
  readonly hasOther: boolean;
  /** Returns the system prompt. */
  readonly system: (scope: Scope) => JsonValue;
  readonly text: JsonValue;
}

/** A model chooses the output by the text of each item. */
export function classifierNode(conversion: Conversion): Converted {
  const { parameters, review, input } = conversion;
  const model = chatModelOf(conversion);
  if (!model) return incomplete(conversion, 'no model');
  const given = list(object(parameters.categories).categories).map(object);
  const {
    multiClass = false,
    fallback = 'discard',
    systemPromptTemplate = CLASSIFICATION,
    enableAutoFixing,
    batching: _,
    ...others
  } = object(parameters.options);
  reviewOthers(others, review);
  if (given.length === 0) return incomplete(conversion, 'no category');
  if (given.length > MAX_CATEGORIES) return unsupported(`more than ${MAX_CATEGORIES} categories`);
  if (given.some(({ category, description }) => isExpression(category) || isExpression(description))) {
    return unsupported('categories that are expressions');
  }
  const names = given.map(({ category = '' }) => show(category));
  const hasOther = fallback === 'other';
  const rules = [
    multiClass === true
      ? 'Categories are not mutually exclusive, and multiple can be true'
      : 'Categories are mutually exclusive, and only one can be true',
    hasOther
      ? 'If no categories apply, select the "fallback" option.'
      : 'If there is not a very fitting category, select none of the categories.',
  ];
  const template = show(systemPromptTemplate).replaceAll(/\{\{categories\}\}|\{categories\}/g, names.join(', '));
  const categories: Categories = {
    names,
    hasOther,
    system: (scope) => convertText([template, ...rules].join('\n\t'), scope),
    text: parameters.inputText ?? '',
  };
  const schema = schemaOf(given, hasOther);
  const maxRepairs = enableAutoFixing === true ? 1 : 0;
  const ports = [...names, ...(hasOther ? ['fallback'] : [])];
  const asked = askEach(conversion, model, {
    ask: (scope) => ({ system: categories.system(scope), prompt: filled(categories.text, 'Text to classify', scope) }),
    schema,
    maxRepairs,
    item: '{ item, output }',
  });
  review('the schema of the categories is given to the provider, in n8n it is part of the prompt');
  return multiClass === true || input.shape === 'list'
    ? inLists(conversion, asked, ports)
    : byFirst(conversion, asked, ports);
}

function schemaOf(given: readonly JsonObject[], hasOther: boolean): JsonObject {
  const members = given.map(({ category = '', description = '' }) => {
    const about = `Should be true if the input has category "${show(category)}" (description: ${show(description)})`;
    return [show(category), { type: 'boolean', description: about }] as const;
  });
  const other = { type: 'boolean', description: 'Should be true if none of the other categories apply' };
  const properties = { ...Object.fromEntries(members), ...(hasOther && { fallback: other }) };
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** Of one item with one category: takes one way. */
function byFirst({ id, node, input, review }: Conversion, asked: Converted, ports: readonly string[]): Converted {
  review('the item takes the output of its first category; in n8n, it takes several if the model names several');
  const [given] = asked.outputs;
  const way = `${id}__way`;
  const value = braced(
    `String(${JSON.stringify(ports)}.findIndex((name) => ${given?.source.text ?? ''}.output[name]))`,
  );
  const handles = ports.map((_name, index) => String(index));
  const cases = handles.map((handle) => ({ handle, equals: handle }));
  return {
    nodes: [...asked.nodes, { id: way, type: 'switch', name: `${node.name}: category`, parameters: { value, cases } }],
    edges: [...asked.edges, { source: given?.nodeId ?? id, target: way }],
    outputs: handles.map((handle) => ({ nodeId: way, handle, source: input })),
  };
}

/** A list for each output. */
function inLists({ id, node }: Conversion, asked: Converted, ports: readonly string[]): Converted {
  const [given] = asked.outputs;
  const lists = `${id}__lists`;
  const text = given?.source.text ?? '';
  const source = [
    `const made = ${given?.source.shape === 'list' ? text : `[${text}]`};`,
    `const ports = ${JSON.stringify(ports)};`,
    'const of = (name) => made.filter(({ output }) => output[name]).map(({ item }) => item);',
    'return Object.fromEntries(ports.map((name, index) => [`output${index}`, of(name)]));',
  ].join('\n');
  return maybeEmpty({
    nodes: [...asked.nodes, { id: lists, type: 'code', name: `${node.name}: items`, parameters: { source } }],
    edges: [...asked.edges, { source: given?.nodeId ?? id, target: lists }],
    outputs: ports.map((_name, index) => ({
      nodeId: lists,
      source: { text: `$nodes.${lists}.output.output${index}`, shape: 'list' },
      label: `output${index}`,
    })),
  });
}
