import type { JsonValue } from '@deckhand/contracts';
import { isExpression, partsOf } from '../expressions/template.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { object, show } from '../workflow.ts';
import type { Conversion, Converted } from './converter.ts';
import { eachInLoop } from './each-in-loop.ts';
import { itemScript } from './item-script.ts';
import { scriptNode } from './list-node.ts';

/** Writes HTML with values of each item, or a table of all items. */
export function htmlNode(conversion: Conversion): Converted {
  const { operation = 'generateHtmlTemplate' } = conversion.parameters;
  if (operation === 'generateHtmlTemplate') return htmlTemplate(conversion);
  if (operation === 'convertToHtmlTable') return htmlTable(conversion);
  return unsupported('values that selectors of CSS find in HTML');
}

function htmlTemplate(conversion: Conversion): Converted {
  const { parameters, review } = conversion;
  const { html = FIRST_TEMPLATE } = parameters;
  if (isExpression(html)) return unsupported('HTML that an expression gives');
  const parts = partsOf(show(html));
  const values = parts.flatMap((part, index) =>
    'source' in part ? [[`value${index}`, `={{ ${part.source} }}`] as const] : [],
  );
  if (values.length > 0) review("in n8n, the signs $$, $&, $` and $' in a value have a meaning; here they are text");
  const texts = parts.map((part, index) =>
    'literal' in part ? JSON.stringify(part.literal) : `String(given.value${index})`,
  );
  return itemScript(conversion, {
    values: Object.fromEntries(values),
    lines: ['const parts = (given) => [', ...texts.map((each) => `  ${each},`), '];'],
    result: "{ html: parts(given).join('') }",
  });
}

/** The template of a node that nobody has changed. */
const FIRST_TEMPLATE = `<!DOCTYPE html>

<html>
<head>
  <meta charset="UTF-8" />
  <title>My HTML document</title>
</head>
<body>
  <div class="container">
    <h1>This is an H1 heading</h1>
    <h2>This is an H2 heading</h2>
    <p>This is a paragraph</p>
  </div>
</body>
</html>

<style>
.container {
  background-color: #ffffff;
  text-align: center;
  padding: 16px;
  border-radius: 8px;
}

h1 {
  color: #ff6d5a;
  font-size: 24px;
  font-weight: bold;
  padding: 8px;
}

h2 {
  color: #909399;
  font-size: 18px;
  font-weight: bold;
  padding: 8px;
}
</style>

<script>
console.log("Hello World!");
</script>`;

const STYLES = {
  table: "style='border-spacing:0; font-family:helvetica,arial,sans-serif'",
  header:
    "style='margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee; text-align:left; color:#888; font-weight:normal'",
  cell: "style='margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee'",
};

function htmlTable(conversion: Conversion): Converted {
  const { parameters, input } = conversion;
  const {
    capitalize,
    customStyling,
    caption,
    tableAttributes,
    headerAttributes,
    rowAttributes,
    cellAttributes,
    ...others
  } = object(parameters.options);
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  const texts = [caption, tableAttributes, headerAttributes, rowAttributes, cellAttributes];
  if ([...texts, capitalize, customStyling].some(isExpression)) return unsupported('options that are expressions');
  const style = (part: keyof typeof STYLES): string => (customStyling === true ? '' : STYLES[part]);
  const [title = '', ofTable, ofHeader, ofRow, ofCell] = texts.map((each) => show(each ?? ''));
  const head = `<table ${style('table')} ${ofTable}>${title === '' ? '' : `<caption>${title}</caption>`}<thead ${style('header')} ${ofHeader}><tr>`;
  const row = `<tr  ${ofRow}>`;
  const cell = `<td ${style('cell')} ${ofCell}>`;
  const lines = [
    `const rows = ${asList(input)};`,
    `const titleOf = (name) => ${capitalize === true ? CAPITALIZED : 'name'};`,
    'const boxOf = (value) => `<input type="checkbox" ${value ? \'checked="checked"\' : \'\'}/>`;',
    "const valueOf = (value) => (typeof value === 'boolean' ? boxOf(value) : value);",
    'const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];',
    "const headers = names.map((name) => `<th>${titleOf(name)}</th>`).join('');",
    `const start = ${JSON.stringify(cell)};`,
    "const cells = (row) => names.map((name) => `${start}${valueOf(row[name])}</td>`).join('');",
    `const body = rows.map((row) => ${JSON.stringify(row)} + cells(row) + '</tr>').join('');`,
    `return { table: ${JSON.stringify(head)} + headers + '</tr></thead><tbody>' + body + '</tbody></table>' };`,
  ];
  return scriptNode(conversion, lines.join('\n'), 'one');
}

/** JavaScript for the title of a column: words with capitals. */
const CAPITALIZED =
  "name.split('_').filter((word) => word !== '').map((word) => word[0].toUpperCase() + word.slice(1)).join(' ')";

/** JavaScript that gives the output of the node `xml` the form of n8n: attributes among the elements, `_` for text. */
function reshape(attributes: string, characters: string): string[] {
  return [
    // As in n8n, names of members that all objects have begin a list with null, and these are other names.
    "const keyOf = (name) => (['__proto__', 'constructor', 'prototype'].includes(name) ? `sanitized_${name}` : name);",
    'const put = (object, name, value) => {',
    '  const key = keyOf(name);',
    '  const before = Object.hasOwn(object, key) ? object[key] : null;',
    '  object[key] = key in object ? [before, value].flat() : value;',
    '};',
    'const reshape = (value) => {',
    '  if (Array.isArray(value)) return value.map(reshape);',
    "  if (typeof value !== 'object' || value === null) return value;",
    '  const result = {};',
    attributes === ''
      ? "  for (const [name, each] of Object.entries(value)) if (name.startsWith('@')) put(result, name.slice(1), each);"
      : `  const attributes = Object.entries(value).filter(([name]) => name.startsWith('@'));\n  if (attributes.length > 0) result[${attributes}] = Object.fromEntries(attributes.map(([name, each]) => [keyOf(name.slice(1)), each]));`,
    '  for (const [name, each] of Object.entries(value)) {',
    "    if (!name.startsWith('@') && name !== '#text') for (const one of [reshape(each)].flat()) put(result, name, one);",
    '  }',
    `  if (value['#text'] !== undefined) put(result, ${characters}, value['#text']);`,
    '  return result;',
    '};',
  ];
}

/** Reads XML from a field of each item. */
export function xmlNode(conversion: Conversion): Converted {
  const { node, parameters, review } = conversion;
  const { mode = 'xmlToJson', dataPropertyName = 'data', options } = parameters;
  if (mode !== 'xmlToJson') return writeXml(conversion);
  if (isExpression(dataPropertyName)) return unsupported('names of fields that are expressions');
  const {
    attrkey = '$',
    charkey = '_',
    mergeAttrs = true,
    trim: _,
    normalize,
    explicitArray,
    ...more
  } = object(options);
  const { explicitRoot, ignoreAttrs, normalizeTags, ...others } = more;
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  const changes: readonly (readonly [string, JsonValue | undefined])[] = [
    ['normalize', normalize],
    ['explicitArray', explicitArray],
    ['ignoreAttrs', ignoreAttrs],
    ['normalizeTags', normalizeTags],
  ];
  const changed = changes.find(([, value]) => value !== undefined && value !== false);
  if (changed) return unsupported(`an option of reading XML (${changed[0]})`);
  if (explicitRoot === false) return unsupported('an option of reading XML (explicitRoot)');
  review(
    `white space around texts is left out here, document types and empty texts fail, and several roots or an element named ${show(charkey)} are read as they are`,
  );
  return eachInLoop(conversion, {
    node: (id, { item }) => ({
      id,
      type: 'xml',
      name: node.name,
      parameters: { operation: 'parse', text: `{{ ${item}[${JSON.stringify(dataPropertyName)}] }}` },
    }),
    lines: [
      ...reshape(mergeAttrs === false ? JSON.stringify(attrkey) : '', JSON.stringify(charkey)),
      'const result = outputs.map(reshape);',
    ],
    shape: 'one',
  });
}

/** Writes each item as XML: members are elements, `$` has the attributes, `_` the text. */
function writeXml(conversion: Conversion): Converted {
  const { dataPropertyName = 'data', options } = conversion.parameters;
  if (isExpression(dataPropertyName)) return unsupported('names of fields that are expressions');
  const { rootName = 'root', headless = false, attrkey = '$', charkey = '_', ...others } = object(options);
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  const settings = { root: rootName, headless, attributes: attrkey, characters: charkey };
  if (Object.values(settings).some(isExpression)) return unsupported('options that are expressions');
  return itemScript(conversion, {
    values: {},
    lines: [`const settings = ${JSON.stringify(settings)};`, ...WRITE_XML],
    result: `{ ${JSON.stringify(show(dataPropertyName))}: document(item) }`,
  });
}

const ESCAPES = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['\r', '&#xD;'],
] as const;
const TEXT_ESCAPES = [...ESCAPES, ['>', '&gt;']];
const QUOTE_ESCAPES = [...ESCAPES, ['"', '&quot;'], ['\t', '&#x9;'], ['\n', '&#xA;']];

/** JavaScript that writes XML as n8n's library does: one element per line, also within text. */
const WRITE_XML: readonly string[] = [
  'const replace = (text, all) => all.reduce((given, [from, to]) => given.replaceAll(from, to), String(text));',
  `const escape = (text) => replace(text, ${JSON.stringify(TEXT_ESCAPES)});`,
  `const quote = (text) => replace(text, ${JSON.stringify(QUOTE_ESCAPES)});`,
  "const isObject = (value) => typeof value === 'object' && value !== null;",
  'const childrenOf = (members, indent) => Object.entries(members)',
  '  .filter(([name]) => name !== settings.attributes && name !== settings.characters)',
  "  .flatMap(([name, value]) => [value].flat().map((each) => element(name, each, `${indent}  `))).join('');",
  "const attributesOf = (given) => isObject(given) ? Object.entries(given).map(([name, each]) => ` ${name}=\"${quote(each)}\"`).join('') : '';",
  'const element = (name, value, indent) => {',
  "  const members = isObject(value) ? value : { [settings.characters]: value ?? '' };",
  "  const text = escape(members[settings.characters] ?? '');",
  '  return written(name, attributesOf(members[settings.attributes]), text, childrenOf(members, indent), indent);',
  '};',
  'const written = (name, attributes, text, inner, indent) => {',
  '  const start = `\\n${indent}<${name}${attributes}`;',
  "  if (inner === '') return text === '' ? `${start}/>` : `${start}>${text}</${name}>`;",
  "  const line = text === '' ? '' : `\\n${indent}  ${text}`;",
  '  return `${start}>${line}${inner}\\n${indent}</${name}>`;',
  '};',
  '// A list as the root has the members of its objects.',
  'const list = (name, values) => {',
  "  const inner = values.filter(isObject).map((each) => childrenOf(each, '')).join('');",
  "  return written(name, '', '', inner, '');",
  '};',
  'const document = (item) => {',
  '  const [name, ...others] = Object.keys(item);',
  "  const isRoot = name !== undefined && others.length === 0 && settings.root === 'root';",
  '  const [root, value] = isRoot ? [name, item[name]] : [settings.root, item];',
  "  const body = Array.isArray(value) ? list(root, value) : element(root, value, '');",
  '  return settings.headless ? body.slice(1) : `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${body}`;',
  '};',
];
