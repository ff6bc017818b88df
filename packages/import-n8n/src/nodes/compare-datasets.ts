import { unsupported } from '../unsupported.ts';
import { list, object, show } from '../workflow.ts';
import { type Conversion, type Converted, maybeEmpty, outputOf } from './converter.ts';
import { scriptNode } from './list-node.ts';
import { GET, GET_OWN, plainName, TEXT_OF } from './lodash.ts';
import { listOf } from './merge.ts';

/** The outputs, in their order. */
const OUTPUTS = ['onlyA', 'same', 'different', 'onlyB'];

/** Compares the items of two inputs that have equal fields. */
export function compareDatasetsNode(conversion: Conversion): Converted {
  const { id, node, parameters, inputs } = conversion;
  const { mergeByFields, options, fuzzyCompare = object(options).fuzzyCompare } = parameters;
  const { resolve = node.version < 2.1 ? 'preferInput2' : 'includeBoth' } = parameters;
  const { skipFields, disableDotNotation, multipleMatches = 'first', fuzzyCompare: _, ...others } = object(options);
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  if (fuzzyCompare === true) return unsupported('values of different types that are equal (fuzzyCompare)');
  if (resolve !== 'preferInput1' && resolve !== 'preferInput2' && resolve !== 'includeBoth') {
    return unsupported('a mix of both versions');
  }
  if (multipleMatches !== 'first' && multipleMatches !== 'all') return unsupported(`matches: ${show(multipleMatches)}`);
  const pairs = list(object(mergeByFields).values).map((each) => {
    const { field1 = '', field2 = '' } = object(each);
    return [plainName(show(field1)), plainName(show(field2))] as const;
  });
  if (pairs.length === 0 || pairs.flat().includes('')) return unsupported('no fields to match');
  const skipped = show(skipFields ?? '')
    .split(',')
    .map((name) => plainName(name.trim()));
  if (skipped.some((name) => name.includes('.'))) return unsupported('fields within others that are skipped');
  const [first, second] = inputs;
  if (!first || !second) return unsupported('a single input');
  const isOwn = disableDotNotation === true;
  const lines = [
    ...(isOwn ? GET_OWN : GET),
    ...TEXT_OF,
    `const pairs = ${JSON.stringify(pairs)};`,
    `const skipped = ${JSON.stringify(skipped)};`,
    'const hasFields = (item) => Object.keys(item).length > 0;',
    `const ofA = ${listOf(first)}.filter(hasFields);`,
    `const ofB = ${listOf(second)}.filter(hasFields);`,
    ...(node.version < 2.2 ? presence(isOwn) : []),
    'const isSame = (one, other) => textOf(one) === textOf(other);',
    'const without = (item) => Object.fromEntries(Object.entries(item).filter(([name]) => !skipped.includes(name)));',
    '// Of pairs with the same second field, the last one counts.',
    'const matched = [...new Map(pairs.map(([a, b]) => [b, a]))];',
    'const keyOf = (item, side) => textOf(matched.map((pair) => get(item, pair[side])));',
    'const isComplete = (item, side) => matched.every((pair) => get(item, pair[side]) !== undefined);',
    'const complete = [...ofB.entries()].filter(([, item]) => isComplete(item, 0));',
    'const byKey = Map.groupBy(complete, ([, item]) => keyOf(item, 0));',
    'const used = new Set();',
    'const [onlyA, same, different] = [[], [], []];',
    'for (const item of ofA) {',
    '  const found = isComplete(item, 1) ? (byKey.get(keyOf(item, 1)) ?? []) : [];',
    `  const matches = ${multipleMatches === 'all' ? 'found' : 'found.slice(0, 1)'};`,
    '  if (matches.length === 0) onlyA.push(item);',
    '  let hasSame = false;',
    '  for (const [index, other] of matches) {',
    '    used.add(index);',
    '    if (isSame(without(item), without(other))) hasSame = true;',
    `    else different.push(${resolve === 'preferInput1' ? 'item' : resolve === 'preferInput2' ? 'other' : 'compare(item, other)'});`,
    '  }',
    '  if (hasSame) same.push(item);',
    '}',
    'const onlyB = ofB.filter((_item, index) => !used.has(index));',
    'return { onlyA, same, different, onlyB };',
  ];
  const compared = resolve === 'includeBoth' ? comparison(node.version) : [];
  const { nodes, edges } = scriptNode(conversion, [...compared, ...lines].join('\n'), 'list');
  const outputs = OUTPUTS.map((label) => ({ nodeId: id, source: outputOf(id, 'list', `.${label}`), label }));
  return maybeEmpty({ nodes, edges, outputs });
}

/** JavaScript that returns both versions of two items that differ. */
function comparison(version: number): string[] {
  const [a, b] = version < 2 ? ['input1', 'input2'] : ['inputA', 'inputB'];
  const value = version < 2 ? 'value || null' : 'value === undefined ? null : value';
  return [
    `const valueOf = (value) => ${value};`,
    'const compare = (one, other) => {',
    '  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];',
    '  const isEqual = (name) => name in one && name in other && isSame(one[name], other[name]);',
    '  const pick = (chosen, make) => Object.fromEntries(chosen.map((name) => [name, make(name)]));',
    `  const both = (name) => ({ ${a}: valueOf(one[name]), ${b}: valueOf(other[name]) });`,
    '  const differing = names.filter((name) => !isEqual(name));',
    '  const left = differing.filter((name) => skipped.includes(name));',
    '  return {',
    '    keys: pick(pairs.map(([name]) => name), (name) => one[name]),',
    '    same: pick(names.filter(isEqual), (name) => one[name]),',
    '    different: pick(differing.filter((name) => !skipped.includes(name)), both),',
    '    ...(left.length > 0 && { skipped: pick(left, both) }),',
    '  };',
    '};',
  ];
}

/** JavaScript that fails if no item has a field to match, as before version 2.2. */
function presence(isOwn: boolean): string[] {
  const has = isOwn ? 'Object.hasOwn(item, name)' : 'get(item, name) !== undefined';
  return [
    'for (const [side, items] of [ofA, ofB].entries()) {',
    '  for (const name of items.length > 0 ? pairs.map((pair) => pair[side]) : []) {',
    `    if (!items.some((item) => ${has})) throw new Error(\`no item has the field "\${name}"\`);`,
    '  }',
    '}',
  ];
}
