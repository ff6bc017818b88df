import { braced, isExpression } from '../expressions/template.ts';
import type { Source } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { list, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, maybeEmpty } from './converter.ts';
import { listNode, scriptNode } from './list-node.ts';

/** How inputs become one list: the script, by the lists of the inputs. */
type Join = (first: string, second: string) => string;

/** Joins inputs. */
export function mergeNode(conversion: Conversion): Converted {
  const { node, parameters, inputs, review } = conversion;
  const { mode = 'append' } = parameters;
  const lists = inputs.map(listOf);
  const result = (expression: string): Converted => listNode(conversion, expression);
  if (mode === 'append') return result(`[${lists.map((each) => `...${each}`).join(', ')}]`);
  const way = text(parameters.combineBy) ?? text(parameters.combinationMode);
  const isPlain = Object.keys(object(parameters.options)).length === 0;
  if (mode === 'combine' && way === 'combineByPosition' && lists.length > 2 && isPlain) {
    review('objects in items that become one: n8n merges their members, here those of the last item remain');
    return maybeEmpty(scriptNode(conversion, combineAllByPosition(lists), 'list'));
  }
  const [first, second, ...others] = lists;
  if (first === undefined || second === undefined || others.length > 0) return unsupported('more than two inputs');
  if (mode === 'chooseBranch' || mode === 'passThrough' || mode === 'wait') {
    const { output = mode === 'wait' ? 'empty' : 'specifiedInput', useDataOfInput = 1 } = parameters;
    const chosen = output === 'specifiedInput' ? show(useDataOfInput) : output;
    const both = (expression: string): Converted => ifBoth(result(expression), conversion, [first, second]);
    if (chosen === 'empty') return both('[{}]');
    if (chosen === '1' || chosen === 'input1') return both(first);
    if (chosen === '2' || chosen === 'input2') return both(second);
    return unsupported(`the output ${show(output)}`);
  }
  const join = mode === 'multiplex' ? combineAll : joinOf(parameters, node.version);
  review('objects in two items that become one: n8n merges their members, here those of the second item remain');
  return maybeEmpty(scriptNode(conversion, join(first, second), 'list'));
}

/** From version 2 on, a node that chooses a branch runs only if both have items. */
function ifBoth(converted: Converted, { id, node, hasAllInputs }: Conversion, lists: readonly string[]): Converted {
  if (hasAllInputs || node.version < 2) return converted;
  const check = `${id}__both`;
  const condition = braced(lists.map((each) => `${each}.length > 0`).join(' && '));
  return {
    nodes: [
      { id: check, type: 'if', name: `${node.name}: items at both inputs?`, parameters: { condition } },
      ...converted.nodes,
    ],
    edges: [{ source: check, target: id, sourceHandle: 'true' }],
    outputs: converted.outputs,
  };
}

/** The items of an input, none if its branch was not taken. */
function listOf({ text: data, shape }: Source): string {
  return shape === 'list' ? `(${data} ?? [])` : `[${data}].filter((item) => item !== undefined)`;
}

/** Joins the items of all inputs at each position, up to the shortest of them. */
function combineAllByPosition(lists: readonly string[]): string {
  return [
    `const lists = [${lists.join(', ')}];`,
    'const length = Math.min(...lists.map((list) => list.length));',
    'return Array.from({ length }, (_, index) => Object.assign({}, ...lists.map((list) => list[index])));',
  ].join('\n');
}

const combineAll: Join = (first, second) =>
  `return ${first}.flatMap((item) => ${second}.map((other) => ({ ...item, ...other })));`;

/** In version 2, an empty input leaves the other one as it is. */
const combineByPosition =
  (version: number): Join =>
  (first, second) => {
    const pairs = `${first}.slice(0, ${second}.length).map((item, index) => ({ ...item, ...${second}[index] }))`;
    if (version >= 3) return `return ${pairs};`;
    return `return ${first}.length === 0 ? ${second} : ${second}.length === 0 ? ${first} : ${pairs};`;
  };

function joinOf(parameters: Conversion['parameters'], version: number): Join {
  const { mode, options } = parameters;
  const way = text(parameters.combineBy) ?? text(parameters.combinationMode) ?? 'combineByFields';
  if (mode !== 'combine') return unsupported(`merging with the mode ${show(mode)}`);
  if (Object.keys(object(options)).length > 0) return unsupported('options of combining');
  switch (way) {
    case 'combineAll':
    case 'multiplex':
      return combineAll;
    case 'combineByPosition':
    case 'mergeByPosition':
      return combineByPosition(version);
    case 'combineByFields':
    case 'mergeByFields':
      return combineByFields(parameters);
    default:
      return unsupported(`combining by ${way}`);
  }
}

/** Items of both inputs whose fields are equal. */
function combineByFields({
  joinMode = 'keepMatches',
  outputDataFrom = 'both',
  ...parameters
}: Conversion['parameters']): Join {
  if (joinMode !== 'keepMatches' || outputDataFrom !== 'both')
    return unsupported(`combining by fields, ${show(joinMode)}`);
  const named = text(parameters.fieldsToMatchString);
  const pairs =
    parameters.advanced === true || named === undefined
      ? list(object(parameters.mergeByFields).values).map((each) => [object(each).field1, object(each).field2] as const)
      : named.split(',').map((each) => [each.trim(), each.trim()] as const);
  const isSet = ([one, other]: readonly [unknown, unknown]): boolean =>
    text(one) !== undefined || text(other) !== undefined;
  if (!pairs.some(isSet)) return unsupported('combining by no field');
  const isName = (field: unknown): field is string =>
    typeof field === 'string' && !isExpression(field) && !/[.[]/.test(field);
  if (!pairs.flat().every(isName)) return unsupported('combining by fields within others');
  const [ofFirst, ofSecond] = [0, 1].map((input) => JSON.stringify(pairs.map((pair) => pair[input])));
  return (first, second) =>
    [
      '// An item without a field matches none, also not those without it.',
      'const keyOf = (item, fields) =>',
      '  fields.some((field) => item[field] === undefined) ? undefined : JSON.stringify(fields.map((field) => item[field]));',
      `const byKey = Map.groupBy(${second}, (item) => keyOf(item, ${ofSecond}));`,
      'byKey.delete(undefined);',
      `return ${first}.flatMap((item) =>`,
      `  (byKey.get(keyOf(item, ${ofFirst})) ?? []).map((other) => ({ ...item, ...other })),`,
      ');',
    ].join('\n');
}
