import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { braced, convertValue, isExpression, isSingle, toExpression, toJsonText } from '../expressions/template.ts';
import type { Scope } from '../expressions/scope.ts';
import { fileOfItem } from '../files.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show, text } from '../workflow.ts';
import { convertConditions, convertOldConditions, convertOldRule } from './conditions.ts';
import { type Conversion, type Converted, maybeEmpty, outputOf, single } from './converter.ts';
import { noteLimit } from './list-node.ts';
import { reviewOthers } from './triggers.ts';

/** Does nothing: the data of the nodes after it is that of the nodes before. */
export function noOperation({ id, node, input }: Conversion): Converted {
  return single({ id, type: 'set', name: node.name, parameters: { fields: {} } }, input);
}

/** Of one item: takes one way. Of a list: two lists. */
export function ifNode(conversion: Conversion): Converted {
  const isEvery = conversion.parameters.combineOperation !== 'any';
  return takeWays(conversion, { isEvery, ways: ['true', 'false'] });
}

/** Keeps the items that meet the conditions. */
export function filterNode(conversion: Conversion): Converted {
  const isEvery = conversion.parameters.combineConditions !== 'OR';
  return takeWays(conversion, { isEvery, ways: ['true'] });
}

/** How a node decides. */
interface Decision {
  /** Whether all conditions must be met, or any; before version 2 only, which have it in the node. */
  readonly isEvery: boolean;
  /** The outputs that the node has in n8n. */
  readonly ways: readonly ('true' | 'false')[];
}

function takeWays(conversion: Conversion, { isEvery, ways }: Decision): Converted {
  const { id, node, parameters, input, scope, scopeOfEach, review } = conversion;
  const { looseTypeValidation: _, ignoreCase: __, ...others } = object(parameters.options);
  reviewOthers(others, review);
  const condition = (within: Scope): string =>
    node.version >= 2
      ? convertConditions(parameters.conditions, within)
      : convertOldConditions(parameters, within, isEvery);
  if (input.shape === 'one') {
    if (node.original.alwaysOutputData === true) {
      if (ways.length > 1) return unsupported('it always outputs data, so both branches may run');
      const item = braced(`(${condition(scope)}) ? ${input.text} : {}`);
      return single(
        { id, type: 'set', name: node.name, parameters: { fields: { item } } },
        outputOf(id, 'one', '.item'),
      );
    }
    return {
      nodes: [{ id, type: 'if', name: node.name, parameters: { condition: braced(condition(scope)) } }],
      edges: [],
      outputs: ways.map((handle) => ({ nodeId: id, handle, source: input, mayBeEmpty: ways.length === 1 })),
    };
  }
  const each = condition(scopeOfEach);
  const test = { true: each, false: `!(${each})` };
  return partition(conversion, Object.fromEntries(ways.map((way) => [way, test[way]])));
}

/**
 * A node that returns several lists, one for each output that leads on.
 * @param tests an expression for each output that returns whether an item goes there.
 */
function partition(
  { id, node, input, connected, usesPairs, review }: Conversion,
  tests: Readonly<Record<string, string>>,
): Converted {
  const isUsed = (index: number): boolean => connected.size === 0 || connected.has(index);
  const lists = Object.entries(tests).flatMap(([key, test], index) => {
    if (!isUsed(index)) return [];
    const items = `${input.text}.filter((item, index) => ${test})`;
    const positions = `${input.text}.flatMap((item, index) => (${test}) ? [index] : [])`;
    return [[key, items] as const, ...(usesPairs ? [[`${key}_at`, positions] as const] : [])];
  });
  noteLimit(
    lists.map(([, each]) => each),
    review,
  );
  const fields = Object.fromEntries(lists.map(([key, each]) => [key, braced(each)]));
  return maybeEmpty({
    nodes: [{ id, type: 'set', name: node.name, parameters: { fields } }],
    edges: [],
    outputs: Object.keys(tests).map((key, index) => ({
      nodeId: id,
      source: {
        ...outputOf(id, 'list', `.${key}`),
        ...(usesPairs && { positions: `$nodes.${id}.output.${key}_at` }),
      },
      label: key,
      ...(!isUsed(index) && { problem: `the output "${key}", which leads nowhere` }),
    })),
  });
}

/** Maximum number of rules of a switch: for lists, the expression of each output has all of them. */
const MAX_RULES = 50;

/** The first rule that is met chooses the output. */
export function switchNode(conversion: Conversion): Converted {
  const { id, node, parameters, input, scope, scopeOfEach, review } = conversion;
  if (parameters.mode === 'expression') return switchByNumber(conversion);
  const {
    allMatchingOutputs,
    fallbackOutput: _,
    looseTypeValidation: __,
    ignoreCase: ___,
    ...others
  } = object(parameters.options);
  reviewOthers(others, review);
  const { rules, count, fallback, names } = rulesOf(parameters, node.version);
  if (names.length > 0) review(`outputs have numbers here, in n8n the names ${names.join(', ')}`);
  if (rules.length > MAX_RULES) return unsupported(`more than ${MAX_RULES} rules`);
  if (allMatchingOutputs === true && node.version >= 3) return toAllOutputs(conversion, { rules, count, fallback });
  const choice = (within: Scope): string =>
    rules.reduceRight(
      (otherwise, { isMet, output }) => `(${isMet(within)}) ? '${output}' : ${otherwise}`,
      `'${fallback ?? 'default'}'`,
    );
  if (input.shape === 'list') {
    const each = choice(scopeOfEach);
    const numbers = Array.from({ length: count }, (_, number) => number);
    return partition(conversion, Object.fromEntries(numbers.map((n) => [`output${n}`, `(${each}) === '${n}'`])));
  }
  const handles = Array.from({ length: count }, (_, index) => String(index));
  if (node.original.alwaysOutputData === true) return unsupported('it always outputs data, so two branches may run');
  const cases = handles.map((handle) => ({ handle, equals: handle }));
  return {
    nodes: [{ id, type: 'switch', name: node.name, parameters: { value: braced(choice(scope)), cases } }],
    edges: [],
    outputs: handles.map((handle) => ({ nodeId: id, handle, source: input, mayBeEmpty: fallback === undefined })),
  };
}

/** An expression returns the number of the output. */
function switchByNumber({ id, node, parameters, input, scope, scopeOfEach, ...rest }: Conversion): Converted {
  const { numberOutputs: count = 4, output = 0 } = parameters;
  if (node.version < 3) return unsupported('outputs that an expression numbers');
  if (typeof count !== 'number' || count < 1 || count > MAX_RULES) return unsupported(`${show(count)} outputs`);
  if (node.original.alwaysOutputData === true) return unsupported('it always outputs data, so two branches may run');
  rest.review('a number without an output fails in n8n; here the item goes nowhere');
  const handles = Array.from({ length: count }, (_, index) => String(index));
  if (input.shape === 'list') {
    const number = `String(${toExpression(output, scopeOfEach)})`;
    const tests = Object.fromEntries(handles.map((each) => [`output${each}`, `${number} === '${each}'`]));
    return partition({ id, node, parameters, input, scope, scopeOfEach, ...rest }, tests);
  }
  const value = braced(`String(${toExpression(output, scope)})`);
  const cases = handles.map((handle) => ({ handle, equals: handle }));
  return {
    nodes: [{ id, type: 'switch', name: node.name, parameters: { value, cases } }],
    edges: [],
    outputs: handles.map((handle) => ({ nodeId: id, handle, source: input })),
  };
}

/** An item takes all outputs whose rules it meets, so that even one item becomes a list for each output. */
function toAllOutputs(conversion: Conversion, { rules, count, fallback }: Omit<Rules, 'names'>): Converted {
  const { input, scopeOfEach } = conversion;
  const met = (output: number): string[] =>
    rules.filter((rule) => rule.output === output).map(({ isMet }) => `(${isMet(scopeOfEach)})`);
  const others = `!(${rules.map(({ isMet }) => `(${isMet(scopeOfEach)})`).join(' || ') || 'false'})`;
  const tests = Array.from({ length: count }, (_, output) => {
    const all = [...met(output), ...(output === fallback ? [others] : [])];
    return [`output${output}`, all.join(' || ') || 'false'] as const;
  });
  const list = { ...input, text: asList(input), shape: 'list' as const };
  return partition({ ...conversion, input: list }, Object.fromEntries(tests));
}

interface Rule {
  readonly isMet: (scope: Scope) => string;
  /** The number of the output of items that meet it. */
  readonly output: number;
}

interface Rules {
  readonly rules: readonly Rule[];
  /** How many outputs there are. */
  readonly count: number;
  /** The output of items that meet none. */
  readonly fallback: number | undefined;
  /** Names that people gave to outputs. */
  readonly names: readonly string[];
}

/** Returns the rules by their outputs. */
function rulesOf(parameters: JsonObject, version: number): Rules {
  if (version >= 3) {
    const given = list(object(parameters.rules ?? FIRST_RULES).values).map(object);
    const { fallbackOutput } = object(parameters.options);
    const isExtra = fallbackOutput === 'extra';
    return {
      rules: given.map(({ conditions }, output) => ({
        isMet: (scope) => convertConditions(conditions, scope),
        output,
      })),
      count: given.length + (isExtra ? 1 : 0),
      names: given.flatMap(({ renameOutput, outputKey }) => (renameOutput === true ? (text(outputKey) ?? []) : [])),
      fallback: isExtra ? given.length : outputNumber(fallbackOutput),
    };
  }
  const { dataType, value1, fallbackOutput } = parameters;
  const type = text(dataType) ?? 'number';
  const rules = list(object(parameters.rules).rules).map(object);
  if (rules.some(({ operation }) => text(operation)?.startsWith('is') === true)) {
    return unsupported('rules that a Switch of this version does not have');
  }
  return {
    rules: rules.map((rule, index) => ({
      // Unlike If, a Switch begins with a date that is a number.
      isMet: (scope) => convertOldRule(type, type === 'dateTime' ? { value2: 0, ...rule } : rule, scope, value1),
      output: version >= 2 ? index : (outputNumber(rule.output ?? 0) ?? unsupported('outputs that are expressions')),
    })),
    count: version >= 2 ? rules.length : OUTPUTS_OF_VERSION_1,
    names: rules.flatMap(({ outputKey }) => text(outputKey) ?? []),
    fallback: outputNumber(fallbackOutput),
  };
}

/** Version 1 of Switch has as many outputs, whatever its rules. */
const OUTPUTS_OF_VERSION_1 = 4;

function outputNumber(given: JsonValue | undefined): number | undefined {
  const output = typeof given === 'string' && given !== '' ? Number(given) : given;
  return Number.isInteger(output) && Number(output) >= 0 ? Number(output) : undefined;
}

/** The rules that a Switch has before they are changed. */
const FIRST_RULES: JsonValue = {
  values: [
    {
      conditions: {
        conditions: [{ leftValue: '', rightValue: '', operator: { type: 'string', operation: 'equals' } }],
      },
    },
  ],
};

const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

export function waitNode({ id, node, parameters, input, scope }: Conversion): Converted {
  const {
    resume = 'timeInterval',
    amount = node.version >= 1.1 ? 5 : 1,
    unit = node.version >= 1.1 ? 'seconds' : 'hours',
    dateTime,
  } = parameters;
  const wait = (given: JsonObject): Converted =>
    single({ id, type: 'wait', name: node.name, parameters: given }, input);
  if (resume === 'specificTime') return wait({ until: convertValue(dateTime ?? '', scope) });
  if (resume !== 'timeInterval') return unsupported('waiting for a call or a form: use an approval or a human task');
  const seconds = lookup(SECONDS, unit) ?? unsupported(`the unit ${show(unit)}`);
  if (typeof amount === 'number') return wait({ seconds: amount * seconds });
  return wait({ seconds: braced(`Number(${toExpression(amount, scope)}) * ${seconds}`) });
}

export function stopNode({ id, node, parameters, scope, review }: Conversion): Converted {
  if (parameters.errorType === 'errorObject') {
    review('the error has the message of its object alone');
    const message = messageOf(parameters.errorObject ?? '', scope);
    return { nodes: [{ id, type: 'fail', name: node.name, parameters: { message } }], edges: [], outputs: [] };
  }
  const given = text(parameters.errorMessage);
  if (given === undefined) review('the message is the name of the node here, in n8n it is empty');
  const message = convertValue(given ?? node.name, scope);
  return { nodes: [{ id, type: 'fail', name: node.name, parameters: { message } }], edges: [], outputs: [] };
}

/** Returns the message of an error that is JSON: its first member that is a message, or all of it. */
function messageOf(given: JsonValue, scope: Scope): string {
  const json = isExpression(given) && !isSingle(given) ? toJsonText(given, scope) : toExpression(given, scope);
  const parsed = isSingle(given) ? `JSON.parse(convert.string(${json}))` : `JSON.parse(${json})`;
  const isText = "(text) => typeof text === 'string' && text !== ''";
  const members = '[error?.message, error?.description, error?.error]';
  const message = `${members}.find(${isText}) ?? 'Error: ' + JSON.stringify(error)`;
  return braced(`[${parsed}].map((error) => ${message})[0]`);
}

/** The JSON of a response before it is changed. */
const FIRST_BODY = '{\n  "myField": "value"\n}';

/** Returns the content type of responses that have another one here. n8n sends text as HTML, and nothing as JSON. */
function contentTypeOf(respondWith: JsonValue, body: JsonValue, scope: Scope): Record<string, string> {
  if (respondWith === 'noData') return { 'content-type': JSON_TYPE };
  if (respondWith !== 'text') return {};
  if (!isSingle(body)) return { 'content-type': HTML_TYPE };
  const type = `typeof ${toExpression(body, scope)} === 'string' ? '${HTML_TYPE}' : '${JSON_TYPE}'`;
  return { 'content-type': braced(type) };
}

const HTML_TYPE = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

export function respondNode({ id, node, parameters, input, scope, review }: Conversion): Converted {
  const { respondWith = 'firstIncomingItem', options } = parameters;
  const { responseBody = respondWith === 'json' ? FIRST_BODY : '' } = parameters;
  const { responseCode = respondWith === 'redirect' ? 307 : 200, responseHeaders, ...others } = object(options);
  reviewOthers(others, review);
  const given = Object.fromEntries(
    list(object(responseHeaders).entries).map((each) => [
      show(object(each).name).toLowerCase(),
      convertValue(object(each).value ?? '', scope),
    ]),
  );
  const isNamed = parameters.responseDataSource === 'set';
  const headers = {
    ...contentTypeOf(respondWith, responseBody, scope),
    ...given,
    ...(respondWith === 'redirect' && { location: convertValue(parameters.redirectURL ?? '', scope) }),
  };
  const bodyOf = () => {
    switch (respondWith) {
      case 'firstIncomingItem':
        return braced(scope.item);
      case 'allIncomingItems':
        return braced(input.shape === 'list' ? input.text : `[${input.text}]`);
      case 'noData':
      case 'redirect':
        return '';
      case 'text':
        return convertValue(responseBody, scope);
      case 'json': {
        if (!isSingle(responseBody)) return braced(`JSON.parse(${toExpression(responseBody, scope)})`);
        // One expression may return an object, or its JSON.
        const body = toExpression(`=${responseBody.slice(1).trim()}`, scope);
        return braced(`(typeof ${body} === 'object' ? ${body} : JSON.parse(${body}))`);
      }
      case 'binary':
        return braced(fileOfItem(input, isNamed ? (parameters.inputFieldName ?? 'data') : undefined, review));
      default:
        return unsupported(`responses with ${show(respondWith)}`);
    }
  };
  return single(
    {
      id,
      type: 'terminal',
      name: node.name,
      parameters: { body: bodyOf(), statusCode: convertValue(responseCode, scope), headers },
    },
    input,
  );
}
