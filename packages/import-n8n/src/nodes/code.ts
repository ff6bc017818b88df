import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { show, text } from '../workflow.ts';
import { type Conversion, type Converted, outputOf, single } from './converter.ts';

/** What scripts of n8n can use, and scripts here cannot. */
const MISSING =
  /\b(require|\$helpers|\$getWorkflowStaticData|getWorkflowStaticData|\$env|\$binary|\$jmespath|DateTime|luxon|\$now|\$today|fetch|setTimeout|Buffer|process|\$runIndex|\$prevNode|\$secrets|\$evaluateExpression)\b|\bthis\.|\bimport\s*\(|\.binary\b|\.pairedItem\b|\bitemMatching\b/;

/** Names of other nodes in a script. Their length is bounded, so that the search takes linear time. */
const NAMED = /\$(?:\(|node\[|items\()\s{0,20}(?:'([^'\n]{1,200})'|"([^"\n]{1,200})"|`([^`\n]{1,200})`)/g;

/** Scripts keep their text, and get what they name in n8n. */
export function codeNode({ id, node, parameters, input, review, dataOf }: Conversion): Converted {
  const { language = 'javaScript', mode = 'runOnceForAllItems', jsCode, functionCode } = parameters;
  if (language !== 'javaScript') return unsupported(`scripts in ${show(language)}`);
  const script = text(jsCode) ?? text(functionCode) ?? 'return items;';
  const missing = MISSING.exec(script)?.[0];
  if (missing !== undefined) return unsupported(`the script uses "${missing}"`);
  const isForEach = mode === 'runOnceForEachItem' || node.type.endsWith('.functionItem');
  const names = [...new Set([...script.matchAll(NAMED)].map((match) => match[1] ?? match[2] ?? match[3] ?? ''))];
  const nodes = names.map((name) => {
    const source = dataOf(name) ?? unsupported(`the script uses the node "${name}", which does not always run before`);
    return `${JSON.stringify(name)}: ${asList(source)}`;
  });
  review('the script is unchanged: check that it uses no more of n8n than items, $input, $json and other nodes');
  const source = [
    '// Gives the script below what it names in n8n.',
    `const all = ${asList(input)}.map((json) => ({ json }));`,
    `const data = { ${nodes.join(', ')} };`,
    'const source = (list, item) => ({ all: () => list, first: () => list[0], last: () => list.at(-1), item });',
    'const toItems = (json) => json.map((each) => ({ json: each }));',
    'const $ = (name) => source(toItems(data[name]), toItems(data[name]).length === 1 ? { json: data[name][0] } : undefined);',
    'const $node = Object.fromEntries(Object.keys(data).map((name) => [name, { json: data[name][0] }]));',
    'const $items = (name) => (name === undefined ? all : toItems(data[name]));',
    'const toJson = (each) => {',
    "  if (typeof each !== 'object' || each === null || Array.isArray(each)) throw new Error('the script returned no items');",
    "  return 'json' in each ? each.json : each;",
    '};',
    // The script has a scope of its own, in which it may declare `items` again.
    'const run = async ($input, items, item, $json, $itemIndex) => (async () => {',
    script,
    '})();',
    'const results = [];',
    ...(isForEach
      ? [
          'for (const [index, each] of all.entries()) {',
          '  const result = await run(source(all, each), all, each.json, each.json, index);',
          '  if (result !== null && result !== undefined) results.push(toJson(result));',
          '}',
        ]
      : [
          '// Without items, n8n does not run a node.',
          'if (all.length > 0) {',
          '  const result = await run(source(all, all[0]), all, all[0].json, all[0].json, 0);',
          '  for (const each of [result ?? []].flat()) results.push(toJson(each));',
          '}',
        ]),
    'return results;',
  ].join('\n');
  return single({ id, type: 'code', name: node.name, parameters: { source } }, outputOf(id, 'list'));
}
