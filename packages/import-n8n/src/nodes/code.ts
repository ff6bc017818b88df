import { asList, type Pairs, positionIn } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { show, text } from '../workflow.ts';
import { type Conversion, type Converted, maybeEmpty, outputOf, single } from './converter.ts';
import { bufferOf } from './buffer.ts';
import { readScript, type Script } from './script.ts';

/** Names of the language that scripts have here and in n8n. */
export const LANGUAGE = new Set([
  ...['undefined', 'NaN', 'Infinity', 'globalThis', 'arguments', 'console', 'Intl', 'Date', 'RegExp', 'JSON', 'Math'],
  ...['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'BigInt', 'Symbol', 'Promise', 'Proxy', 'Reflect'],
  ...['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'AggregateError'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array'],
  ...['Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array'],
  ...['BigInt64Array', 'BigUint64Array', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'atob', 'btoa'],
  ...['encodeURI', 'decodeURI', 'encodeURIComponent', 'decodeURIComponent', 'escape', 'unescape'],
]);

/** What scripts may read of names that are something else here. */
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  $input: new Set(['all', 'first', 'last', 'item']),
  $execution: new Set(['id']),
  $workflow: new Set(['name']),
};

/** What scripts may read of another node. */
const OF_NODE = new Set(['all', 'first', 'last', 'item', 'json', 'isExecuted']);

/** Methods of dates that use the time zone of the instance in n8n, and UTC here. */
export const LOCAL_TIME =
  /^(?:[gs]et(?:Hours|Minutes|Date|Day|Month|FullYear)|getTimezoneOffset|to(?:Date|Time|Locale|LocaleDate|LocaleTime)?String)$/;

/** How the node runs its script. */
interface Mode {
  readonly isForEach: boolean;
  /** The names that the script has for its items. */
  readonly items: readonly string[];
  /** JavaScript that makes data of what the script returned. */
  readonly toData: readonly string[];
}

const OBJECT = [
  'const isObject = (value) =>',
  "  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);",
];
const CHECKED = [
  "  if (!data.every(isObject)) throw new Error('the json of an item is not an object');",
  '  return data;',
];
const toDataOfAll = (checksKeys: boolean): string[] => [
  ...OBJECT,
  'const toData = (result) => {',
  '  if (result === null) return [];',
  '  if (isObject(result)) return [result.json ? result.json : result];',
  "  if (!Array.isArray(result) || !result.every(isObject)) throw new Error('the script did not return items');",
  ...(checksKeys
    ? [
        "  const isKey = (key) => ['json', 'binary', 'pairedItem', 'error', 'index'].includes(key);",
        '  const keys = result.flatMap((item) => Object.keys(item));',
        "  if (keys.some(isKey) && !keys.every(isKey)) throw new Error('an item has other members beside its json');",
      ]
    : []),
  "  const count = result.filter((item) => 'json' in item).length;",
  "  if (count > 0 && count < result.length) throw new Error('some items have no json');",
  '  const data = count > 0 ? result.map(({ json }) => json) : result;',
  ...CHECKED,
  '};',
];

const ALL: Mode = { isForEach: false, items: ['items'], toData: toDataOfAll(true) };
const OLD_ALL: Mode = { ...ALL, toData: toDataOfAll(false) };
const EACH: Mode = {
  isForEach: true,
  items: ['item'],
  toData: [
    ...OBJECT,
    'const toData = (results) => {',
    "  const data = results.filter(Boolean).map((each) => ('json' in Object(each) ? each.json : each));",
    ...CHECKED,
    '};',
  ],
};
const OLD_EACH: Mode = {
  isForEach: true,
  items: ['item'],
  toData: [...OBJECT, 'const toData = (data) => {', ...CHECKED, '};'],
};

function modeOf({ node, parameters }: Conversion): Mode {
  if (node.type.endsWith('.function')) return OLD_ALL;
  if (node.type.endsWith('.functionItem')) return OLD_EACH;
  return parameters.mode === 'runOnceForEachItem' ? EACH : ALL;
}

/** What n8n's older nodes run if an export has no script. */
const DEFAULTS: Readonly<Record<string, string>> = {
  function: 'for (item of items) {\n  item.json.myNewField = 1;\n}\nreturn items;',
  functionItem: 'item.myNewField = 1;\nreturn item;',
};

/** Scripts keep their text, and get what they name in n8n. */
export function codeNode(conversion: Conversion): Converted {
  const { id, node, parameters, input, review, isInLoop } = conversion;
  const { language = 'javaScript', jsCode, functionCode } = parameters;
  if (language !== 'javaScript') return unsupported(`scripts in ${show(language)}`);
  const type = node.type.split('.').at(-1) ?? '';
  const given = type === 'code' ? (text(jsCode) ?? '') : (text(functionCode) ?? DEFAULTS[type] ?? '');
  if (type === 'code' && given === '') {
    review('it has no script, and so it fails, as in n8n');
    const source = "throw new Error('No code to execute');";
    return single({ id, type: 'code', name: node.name, parameters: { source } }, outputOf(id, 'list'));
  }
  const script = readScript(given);
  const mode = modeOf(conversion);
  const isOne = script.returnsOne && (!mode.isForEach || input.shape === 'one');
  checkNames(script, { mode, isInLoop });
  if (script.names.has('Date') && [...script.reads].some((each) => LOCAL_TIME.test(each))) {
    review('the script uses local time, which is UTC here, and the time zone of the instance in n8n');
  }
  if (script.listsMembers) review('the script goes through the members of objects: items have "json" alone here');
  if (script.usesErrors) {
    review('the script uses errors that it catches: the texts of those of JavaScript itself differ here');
  }
  const hasFiles = script.creates.has('binary');
  if (hasFiles && !isOne) review('the files of its items are left out: only those of one item can be used here');
  const source = [
    '// Gives the script below what it names in n8n.',
    ...(script.names.has('Buffer') ? bufferOf(script, review) : []),
    'const toItems = (list) => list.map((json) => ({ json }));',
    `const all = toItems(${asList(input)});`,
    SOURCE,
    ...namesOf(script, { ...conversion, paired: conversion.scope.paired }),
    ...mode.toData,
    ...(hasFiles && isOne ? FILES : []),
    ...(script.undeclared.size > 0 ? [`let ${[...script.undeclared].join(', ')};`] : []),
    // The script has a scope of its own, in which it may declare these names again.
    `const run = async (${['$input', '$json', '$itemIndex', ...mode.items].join(', ')}) => (async () => {`,
    given,
    '})();',
    ...callsOf(mode, node.type, { isOne, hasFiles, isPlaced: usesPosition(script.names) && input.shape === 'list' }),
  ].join('\n');
  const converted = single(
    { id, type: 'code', name: node.name, parameters: { source } },
    {
      ...outputOf(id, isOne ? 'one' : 'list', isOne && hasFiles ? '.json' : ''),
      ...(isOne && hasFiles && { files: `$nodes.${id}.output.files` }),
    },
  );
  return isOne ? converted : maybeEmpty(converted);
}

function checkNames({ names, members, reads }: Script, { mode, isInLoop }: { mode: Mode; isInLoop: boolean }) {
  const known = new Set(['$input', '$json', '$itemIndex', '$', '$node', '$items', '$vars', '$execution', '$workflow']);
  for (const name of names) {
    const isKnown = known.has(name) || mode.items.includes(name) || (name === '$runIndex' && !isInLoop);
    if (!isKnown && !LANGUAGE.has(name) && name !== 'Buffer') unsupported(`the script uses "${name}"`);
  }
  for (const each of members) {
    const [name = '', member = ''] = each.split('.');
    if (Object.hasOwn(MEMBERS, name) && names.has(name) && MEMBERS[name]?.has(member) !== true) {
      unsupported(`the script uses "${each}"`);
    }
  }
  if (reads.has('binary')) unsupported('the script uses "binary"');
  if (reads.has('pairedItem')) unsupported('the script uses "pairedItem"');
}

/** What a script gets: the data of a node, and that of others. */
export interface Given extends Pick<Conversion, 'dataOf' | 'input' | 'review' | 'workflowName'> {
  readonly paired: Pairs;
}

/** JavaScript for `$input` and nodes. */
const SOURCE =
  'const source = (list, item) => ({ all: () => list, first: () => list[0], last: () => list.at(-1), item });';

/** Returns whether the items of other nodes that a script names depend on the position of its own. */
export function usesPosition(names: ReadonlySet<string>): boolean {
  return names.has('$') || names.has('$node');
}

/**
 * Returns JavaScript that declares the other names that a script uses.
 * @throws UnsupportedError if it names data that cannot be read.
 */
export function namesOf(
  { names, nodes }: Pick<Script, 'names' | 'nodes'>,
  { dataOf, review, paired, workflowName }: Given,
): string[] {
  const places: string[] = [];
  const data = [...nodes].map(([name, read]) => {
    const source = dataOf(name) ?? unsupported(`the script uses the node "${name}", which does not always run before`);
    const other = [...read].find((each) => !OF_NODE.has(each));
    if (other !== undefined)
      unsupported(`the script uses ${other === '*' ? `"${name}" as a whole` : `"${other}" of "${name}"`}`);
    if (read.has('item') && source.shape === 'list') {
      const position =
        positionIn(paired, name, 'position') ??
        unsupported(`the script uses the item of "${name}" that belongs to the current one`);
      if (position.assumed !== undefined) review(position.assumed);
      places.push(`${JSON.stringify(name)}: () => ${position.text}`);
    }
    const items = `toItems(${asList(source)})`;
    if (source.hasRun === undefined) return `${JSON.stringify(name)}: ${items}`;
    return `${JSON.stringify(name)}: ${source.hasRun} ? ${items} : undefined`;
  });
  const single = [...nodes.keys()].filter((name) => dataOf(name)?.shape === 'one');
  const has = (name: string): boolean => names.has(name);
  return [
    ...(data.length > 0 ? [`const data = { ${data.join(', ')} };`] : []),
    ...(usesPosition(names) ? ['let position = 0;'] : []),
    ...(has('$')
      ? [
          `const single = new Set(${JSON.stringify(single)});`,
          `const places = { ${places.join(', ')} };`,
          'const itemOf = (name) => data[name][single.has(name) ? 0 : (places[name]?.() ?? position)];',
          'const missing = (name) => {',
          "  const get = () => { throw new Error(`Node '${name}' hasn't been executed`); };",
          "  return new Proxy({}, { get: (_none, key) => (key === 'isExecuted' ? false : get()) });",
          '};',
          'const $ = (name) =>',
          '  data[name] ? { ...source(data[name], itemOf(name)), isExecuted: true } : missing(name);',
        ]
      : []),
    ...(has('$node')
      ? [
          '// As in n8n, the item at the same position, whatever it was made of.',
          'const itemAt = (name, items) => {',
          "  if (!items) throw new Error(`Node '${name}' hasn't been executed`);",
          '  if (position >= items.length) throw new Error(`"${name}" has no item at position ${position}`);',
          '  return items[position];',
          '};',
          'const $node = Object.fromEntries(',
          '  Object.entries(data).map(([name, items]) => [name, { get json() { return itemAt(name, items).json; } }]),',
          ');',
        ]
      : []),
    ...(has('$items')
      ? [`const $items = (name) => ${data.length > 0 ? '(name === undefined ? all : data[name])' : 'all'};`]
      : []),
    ...(has('$runIndex') ? ['const $runIndex = 0;'] : []),
    ...(has('$workflow') ? [`const $workflow = { name: ${JSON.stringify(workflowName)} };`] : []),
  ];
}

/** JavaScript that returns the files of the item that the script returned. */
const FILES = [
  'const filesOf = (returned) => {',
  '  const [item] = [returned].flat();',
  '  return Object.fromEntries(',
  '    Object.entries(item?.binary ?? {}).map(([name, { data, mimeType, fileName }]) => [',
  '      name,',
  "      { base64: String(data), contentType: mimeType ?? 'text/plain', filename: fileName ?? name },",
  '    ]),',
  '  );',
  '};',
];

/** Returns JavaScript that runs the script and returns its data. */
function callsOf(
  { isForEach }: Mode,
  type: string,
  { isOne, hasFiles, isPlaced }: { isOne: boolean; hasFiles: boolean; isPlaced: boolean },
): string[] {
  const returned = (value: string): string => {
    if (!isOne) return `return toData(${value});`;
    return hasFiles ? `return { json: toData(${value})[0], files: filesOf(${value}) };` : `return toData(${value})[0];`;
  };
  if (!isForEach) {
    return ['const result = await run(source(all, all[0]), all[0].json, 0, all);', returned('result')];
  }
  const item = type.endsWith('.functionItem') ? 'item.json' : 'item';
  return [
    'const results = [];',
    'for (const [index, item] of all.entries()) {',
    ...(isPlaced ? ['  position = index;'] : []),
    `  results.push(await run(source(all, item), item.json, index, ${item}));`,
    '}',
    returned('results'),
  ];
}
