import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { convertText, escapeTexts, toExpression } from '../../expressions/template.ts';
import { unsupported } from '../../unsupported.ts';
import { list, object, show, text } from '../../workflow.ts';
import { LANGUAGE } from '../code.ts';
import { type Conversion, type Converted, outputOf, single } from '../converter.ts';
import { readScript } from '../script.ts';
import { executeWorkflowNode } from '../workflows.ts';
import { argumentsOf } from './arguments.ts';
import { schemaOf } from './json-schemas.ts';

/** What becomes of a tool. */
export interface Tool {
  readonly converted: Converted;
  /** The schema of its arguments. */
  readonly inputSchema: JsonObject;
  readonly description: JsonValue;
  /** JavaScript that returns what the model is told. */
  readonly told: readonly string[];
}

/** What n8n asks a model for that calls a tool without a schema. */
const TEXT_ARGUMENT: JsonObject = { type: 'object', properties: { input: { type: 'string' } } };
const ARGUMENTS = '$loop.item';
/** The argument of a tool without a schema. */
const TEXT = `(${ARGUMENTS}.input ?? '')`;
/** The first version of the workflow tool whose arguments are those of the workflow. */
const WITH_INPUTS = 2;

const THINK =
  'Use the tool to think about something. It will not obtain new information or change the database, but just append the thought to the log. Use it when complex reasoning or some cache memory is needed.';

/** Returns the description that a tool has. */
function describe({ parameters, node, scope }: Conversion, byDefault = ''): JsonValue {
  const { description = byDefault } = parameters;
  return text(description) === undefined ? escapeTexts(node.name) : convertText(description, scope);
}

/** Returns JavaScript for what the model is told of a tool that returns a text. */
function textTold(id: string, isNode: boolean): string {
  return isNode ? `return [{ response: $nodes.${id}.output }];` : `return $nodes.${id}.output;`;
}

/** Tells the model what it said. */
export function thinkTool(conversion: Conversion, isNode: boolean): Tool {
  const { id, node } = conversion;
  const source = `return ${TEXT};`;
  return {
    converted: single({ id, type: 'code', name: node.name, parameters: { source } }, outputOf(id, 'one')),
    inputSchema: TEXT_ARGUMENT,
    description: describe(conversion, THINK),
    told: [textTold(id, isNode)],
  };
}

/** Runs a script with the arguments as `query`, and tells the model the text that it returns. */
export function codeTool(conversion: Conversion, isNode: boolean): Tool {
  const { id, node, parameters } = conversion;
  const { language = 'javaScript', jsCode = 'return query.toUpperCase()', specifyInputSchema = false } = parameters;
  if (language !== 'javaScript') return unsupported(`scripts in ${show(language)}`);
  const given = show(jsCode);
  const { names, undeclared } = readScript(given);
  const other = [...names].find((name) => name !== 'query' && !LANGUAGE.has(name));
  if (other !== undefined) return unsupported(`the script uses "${other}"`);
  const source = [
    ...(undeclared.size > 0 ? [`let ${[...undeclared].join(', ')};`] : []),
    'const run = async (query) => (async () => {',
    given,
    '})();',
    `const result = await run(${specifyInputSchema === true ? ARGUMENTS : TEXT});`,
    "if (typeof result === 'number') return String(result);",
    "if (typeof result !== 'string') throw new Error('Wrong output type returned');",
    'return result;',
  ].join('\n');
  return {
    converted: single({ id, type: 'code', name: node.name, parameters: { source } }, outputOf(id, 'one')),
    inputSchema: specifyInputSchema === true ? schemaOf(node, node.version >= 1.3) : TEXT_ARGUMENT,
    description: describe(conversion),
    told: [textTold(id, isNode)],
  };
}

/** Starts another workflow with the arguments, and tells the model what it returns. */
export function workflowTool(conversion: Conversion, isNode: boolean): Tool {
  const { id, node, parameters, scope, input, review } = conversion;
  const { version } = node;
  const { source, workflowId, workflowInputs, fields, specifyInputSchema = false } = parameters;
  if (isNode && version < WITH_INPUTS)
    return unsupported('a version of this tool that fails with such an agent in n8n');
  const hasInputs = version >= WITH_INPUTS && list(object(workflowInputs).schema).length > 0;
  const isAsked = hasInputs || (version < WITH_INPUTS && specifyInputSchema === true);
  const inputSchema = hasInputs ? argumentsOf(parameters) : isAsked ? schemaOf(node, false) : TEXT_ARGUMENT;
  const hasArguments = Object.keys(object(inputSchema.properties)).length > 0;
  const query = isAsked && hasArguments ? ARGUMENTS : TEXT;
  const set = list(object(fields).values).map((each) => fieldOf(object(each), conversion));
  if (isNode && hasInputs) review('the other workflow does not get toolCallId, the id of the call');
  const item = isNode && hasInputs ? input.text : `{ ${[`query: ${query}`, ...set].join(', ')} }`;
  const started = executeWorkflowNode({
    ...conversion,
    parameters: {
      ...(source !== undefined && { source }),
      ...(workflowId !== undefined && { workflowId }),
      ...(hasInputs && workflowInputs !== undefined && { workflowInputs }),
    },
    input: { text: item, shape: 'one' },
    scope,
  });
  const [output] = started.outputs;
  const items = output?.source.text ?? '[]';
  return {
    converted: { ...started, outputs: [{ nodeId: id, source: outputOf(id, 'one') }] },
    inputSchema: hasArguments ? inputSchema : TEXT_ARGUMENT,
    description: describe(conversion),
    told: [
      `const items = ${items};`,
      "if (items.length === 0) throw new Error('The workflow did not return a response');",
      isNode
        ? `return ${version > WITH_INPUTS ? 'items' : '[items[0]]'};`
        : `return JSON.stringify(${version > WITH_INPUTS ? 'items' : 'items[0]'}, null, 2);`,
    ],
  };
}

/** Returns a field that the other workflow gets beside the arguments. */
function fieldOf({ name, type = 'stringValue', stringValue = '' }: JsonObject, { scope }: Conversion): string {
  const named = text(name);
  if (named === undefined || named.includes('.')) return unsupported('a field within another');
  if (type !== 'stringValue') return unsupported(`a field of the type ${show(type)}`);
  return `${JSON.stringify(named)}: convert.string(${toExpression(stringValue, scope)})`;
}
