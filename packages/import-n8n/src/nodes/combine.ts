import type { JsonObject } from '@deckhand/contracts';
import { isExpression } from '../expressions/template.ts';
import { unsupported } from '../unsupported.ts';
import { list, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, incomplete, maybeEmpty } from './converter.ts';
import { scriptNode } from './list-node.ts';
import { GET, GET_OWN, plainName, TEXT_OF } from './lodash.ts';

/** Combines items of several inputs into one item each. @param lists the lists of the inputs, as expressions. */
export function combineNode(conversion: Conversion, lists: readonly string[]): Converted {
  const { node, parameters } = conversion;
  const { mode } = parameters;
  const inputs = lists.map((each, index) => `const input${index + 1} = ${each};`);
  if (mode !== 'combine' && node.version >= 2) return unsupported(`merging with the mode ${show(mode)}`);
  const lines = node.version < 2 ? oldWay(parameters) : newWay(conversion, lists.length);
  if (!lines) return incomplete(conversion, 'no fields to match');
  return maybeEmpty(scriptNode(conversion, [...inputs, ...lines].join('\n'), 'list'));
}

/** Version 1 does not merge objects within objects. */
function oldWay({ mode, join = 'left' }: JsonObject): string[] {
  if (mode === 'multiplex') {
    return ['return input1.flatMap((one) => input2.map((other) => ({ ...one, ...other })));'];
  }
  if (mode !== 'mergeByIndex') return unsupported(`merging with the mode ${show(mode)}`);
  const pairs = 'input1.map((item, index) => ({ ...item, ...input2[index] }))';
  switch (join) {
    case 'left':
      return [`return ${pairs};`];
    case 'inner':
      return [`return ${pairs}.slice(0, input2.length);`];
    case 'outer':
      return [`return [...${pairs}, ...input2.slice(input1.length)];`];
    default:
      return unsupported(`joining ${show(join)}`);
  }
}

/** How fields are chosen that both items have. */
interface Clash {
  readonly resolveClash: string;
  /** JavaScript that declares `merge`, which makes one object of several. */
  readonly merge: readonly string[];
}

/** JavaScript that merges objects, also those within them, as lodash does. */
const DEEP = [
  'const mergeInto = (target, source) => {',
  '  for (const [key, value] of Object.entries(source)) {',
  '    const before = target[key];',
  "    const isKept = Array.isArray(value) ? Array.isArray(before) : typeof before === 'object' && before !== null;",
  "    if (typeof value !== 'object' || value === null) target[key] = value;",
  '    else target[key] = mergeInto(isKept ? before : Array.isArray(value) ? [] : {}, value);',
  '  }',
  '  return target;',
  '};',
  'const merge = (...items) => items.reduce(mergeInto, {});',
];

const SHALLOW = ['const merge = (...items) => Object.assign({}, ...items);'];

function clashOf({ options }: JsonObject, version: number): Clash {
  const {
    resolveClash = '',
    mergeMode = 'deepMerge',
    overrideEmpty,
    ...others
  } = object(object(object(options).clashHandling).values);
  if (overrideEmpty === true || Object.keys(others).length > 0) {
    return unsupported('empty fields that are not taken (overrideEmpty)');
  }
  if ([resolveClash, mergeMode].some(isExpression)) return unsupported('options that are expressions');
  const suffix = [
    'const withSuffix = (item, suffix) =>',
    '  Object.fromEntries(Object.entries(item).map(([name, value]) => [`${name}_${suffix}`, value]));',
  ];
  const chosen = show(resolveClash);
  // n8n has the mode only beside a preferred input, which exports of version 2 do not omit.
  const hasMode = chosen.startsWith('prefer') || (chosen === '' && version >= 3);
  return {
    resolveClash: chosen,
    // n8n has this mode only beside a preferred input.
    merge: [...(mergeMode === 'shallowMerge' && hasMode ? SHALLOW : DEEP), ...(chosen === 'addSuffix' ? suffix : [])],
  };
}

/** Returns the script, or undefined for a node that names no fields to match. */
function newWay({ node, parameters }: Conversion, count: number): string[] | undefined {
  const way = text(parameters.combineBy) ?? text(parameters.combinationMode) ?? 'combineByFields';
  const clash = clashOf(parameters, node.version);
  const { clashHandling: _, ...options } = object(parameters.options);
  const isPosition = way === 'combineByPosition' || way === 'mergeByPosition';
  if (count > 2 && !isPosition) return unsupported('more than two inputs');
  switch (way) {
    case 'combineAll':
    case 'multiplex':
      refuseOthers(options);
      return combineAll(clash);
    case 'combineByPosition':
    case 'mergeByPosition': {
      const { includeUnpaired = false, ...others } = options;
      refuseOthers(others);
      if (typeof includeUnpaired !== 'boolean') return unsupported('options that are expressions');
      return node.version < 3 ? positionOf2(clash, includeUnpaired) : byPosition(clash, includeUnpaired, count);
    }
    case 'combineByFields':
    case 'mergeByFields':
      return byFields(parameters, options, clash, node.version);
    default:
      return unsupported(`combining by ${way}`);
  }
}

function refuseOthers(options: JsonObject): void {
  const names = Object.keys(options);
  if (names.length > 0) unsupported(`the options ${names.join(', ')}`);
}

/** JavaScript for an item, with the number of its input at the end of names if both have one of the name. */
const named = ({ resolveClash }: Clash, item: string, input: number): string =>
  resolveClash === 'addSuffix' ? `withSuffix(${item}, ${input})` : item;

function combineAll(clash: Clash): string[] {
  const isFirst = clash.resolveClash === 'preferInput1';
  const [outer, inner] = isFirst ? ['input2', 'input1'] : ['input1', 'input2'];
  const merged = `merge(${named(clash, 'one', 1)}, ${named(clash, 'other', 2)})`;
  return [...clash.merge, `return ${outer}.flatMap((one) => ${inner}.map((other) => ${merged}));`];
}

/** In version 2, an empty input leaves the other one as it is. */
function positionOf2(clash: Clash, includesUnpaired: boolean): string[] {
  const isFirst = clash.resolveClash === 'preferInput1';
  const [one, other] = isFirst ? ['input2', 'input1'] : ['input1', 'input2'];
  const rest = includesUnpaired ? 'true' : 'false';
  return [
    ...clash.merge,
    'if (input1.length === 0 || input2.length === 0) return [...input1, ...input2];',
    `const ones = ${clash.resolveClash === 'addSuffix' ? `${one}.map((item) => withSuffix(item, 1))` : one};`,
    `const others = ${clash.resolveClash === 'addSuffix' ? `${other}.map((item) => withSuffix(item, 2))` : other};`,
    'const count = Math.min(ones.length, others.length);',
    'const pairs = ones.slice(0, count).map((item, index) => merge(item, others[index]));',
    `return ${rest} ? [...pairs, ...ones.slice(count), ...others.slice(count)] : pairs;`,
  ];
}

function byPosition(clash: Clash, includesUnpaired: boolean, count: number): string[] {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const preferred = /^preferInput(\d+)$/.exec(clash.resolveClash)?.[1] ?? String(count);
  if (!numbers.includes(Number(preferred))) return unsupported(`the input ${preferred}, which does not exist`);
  const lists = numbers.map((each) =>
    clash.resolveClash === 'addSuffix' ? `input${each}.map((item) => withSuffix(item, ${each}))` : `input${each}`,
  );
  return [
    ...clash.merge,
    `const inputs = [${lists.join(', ')}];`,
    `const count = Math.${includesUnpaired ? 'max' : 'min'}(...inputs.map(({ length }) => length));`,
    'return Array.from({ length: count }, (_, index) => {',
    '  const items = inputs.map((each) => each[index] ?? {});',
    `  return merge(...items, input${preferred}[index] ?? {});`,
    '});',
  ];
}

/** What is returned if an input has no items, by what is joined. */
const EMPTY: Readonly<Record<string, string>> = {
  keepMatches: '[]',
  enrichInput1: 'input1',
  enrichInput2: 'input2',
  keepEverything: '[...input1, ...input2]',
};

function byFields(parameters: JsonObject, options: JsonObject, clash: Clash, version: number): string[] | undefined {
  const { joinMode = 'keepMatches', outputDataFrom = 'both' } = parameters;
  const { disableDotNotation = false, multipleMatches = 'all', fuzzyCompare, ...others } = options;
  refuseOthers(others);
  if (fuzzyCompare === true || parameters.fuzzyCompare === true) {
    return unsupported('values of different types that are equal (fuzzyCompare)');
  }
  if ([joinMode, outputDataFrom, disableDotNotation, multipleMatches].some(isExpression)) {
    return unsupported('options that are expressions');
  }
  const isOwn = disableDotNotation === true;
  const pairs = pairsOf(parameters, isOwn);
  if (pairs.length === 0 || pairs.flat().includes('')) return undefined;
  const has = isOwn ? 'Object.hasOwn(item, name)' : 'get(item, name) !== undefined';
  const presence = [
    'for (const [side, items] of [input1, input2].entries()) {',
    '  for (const pair of pairs) {',
    `    if (!items.some((item) => ((name) => ${has})(pair[side]))) throw new Error(\`no item has the field "\${pair[side]}"\`);`,
    '  }',
    '}',
  ];
  const ofNoItems =
    joinMode === 'keepNonMatches'
      ? outputDataFrom === 'input1'
        ? 'input1.length === 0 ? [] : input1'
        : outputDataFrom === 'input2'
          ? 'input2.length === 0 ? [] : input2'
          : '[...input1, ...input2]'
      : EMPTY[show(joinMode)];
  return [
    ...clash.merge,
    ...(isOwn ? GET_OWN : GET),
    ...TEXT_OF,
    `const pairs = ${JSON.stringify(pairs)};`,
    ...(version < 2.1 ? presence : []),
    `if (input1.length === 0 || input2.length === 0) return ${ofNoItems ?? unsupported(`joining ${show(joinMode)}`)};`,
    '// Of pairs with the same second field, the last one counts.',
    'const matched = [...new Map(pairs.map(([first, second]) => [second, first]))];',
    'const keyOf = (item, side) => textOf(matched.map((pair) => get(item, pair[side])));',
    'const isComplete = (item, side) => matched.every((pair) => get(item, pair[side]) !== undefined);',
    'const complete = [...input2.entries()].filter(([, item]) => isComplete(item, 0));',
    'const byKey = Map.groupBy(complete, ([, item]) => keyOf(item, 0));',
    'const used = new Set();',
    'const [matches, unmatched1] = [[], []];',
    'for (const item of input1) {',
    '  const found = isComplete(item, 1) ? (byKey.get(keyOf(item, 1)) ?? []) : [];',
    `  const others = ${multipleMatches === 'first' ? 'found.slice(0, 1)' : 'found'};`,
    '  if (others.length === 0) unmatched1.push(item);',
    '  else matches.push([item, others.map(([, other]) => other)]);',
    '  for (const [index] of others) used.add(index);',
    '}',
    'const unmatched2 = input2.filter((_item, index) => !used.has(index));',
    ...joined(show(joinMode), show(outputDataFrom), clash),
  ];
}

function pairsOf(parameters: JsonObject, isOwn: boolean): string[][] {
  const name = text(parameters.fieldsToMatchString);
  const pairs =
    parameters.advanced === true || name === undefined
      ? list(object(parameters.mergeByFields).values).map((each) => [object(each).field1, object(each).field2])
      : name.split(',').map((each) => [each.trim(), each.trim()]);
  const names = pairs.map((pair) => pair.map((each) => (isOwn ? show(each ?? '') : plainName(show(each ?? '')))));
  if (names.flat().some(isExpression)) return unsupported('names of fields that are expressions');
  return names;
}

/** JavaScript that returns the items of a join. */
function joined(mode: string, from: string, clash: Clash): string[] {
  const prefersFirst = clash.resolveClash === 'preferInput1' || (clash.resolveClash === '' && mode === 'enrichInput2');
  const [one, other] = [named(clash, 'item', 1), named(clash, 'other', 2)];
  const merged = `merge(${prefersFirst ? `${other}, ${one}` : `${one}, ${other}`})`;
  const pairs = `matches.flatMap(([item, others]) => others.map((other) => ${merged}))`;
  const hasSuffix = clash.resolveClash === 'addSuffix';
  const rest = (input: 1 | 2): string =>
    hasSuffix ? `unmatched${input}.map((item) => withSuffix(item, ${input}))` : `unmatched${input}`;
  const kept =
    from === 'input1'
      ? 'matches.map(([item]) => item)'
      : from === 'input2'
        ? 'input2.filter((_item, index) => used.has(index))'
        : pairs;
  switch (mode) {
    case 'keepMatches':
      return [`return ${kept};`];
    case 'keepEverything':
      return [`return [...${kept}, ...${rest(1)}, ...${rest(2)}];`];
    case 'enrichInput1':
      return [`return [...${pairs}, ...${rest(1)}];`];
    case 'enrichInput2':
      return [`return [...${pairs}, ...${rest(2)}];`];
    default: {
      if (from !== 'both') return [`return ${from === 'input1' ? 'unmatched1' : 'unmatched2'};`];
      const sourced = (input: 1 | 2): string =>
        `...unmatched${input}.map((item) => ({ ...item, _source: 'input${input}' }))`;
      return [`return [${sourced(1)}, ${sourced(2)}];`];
    }
  }
}
