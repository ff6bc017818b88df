import type { JsonObject, NodeDefinition } from '@deckhand/contracts';
import { braced, convertValue, isExpression } from '../expressions/template.ts';
import { fileOfItem } from '../files.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, outputOf } from './converter.ts';

/** How a file is read, and what its item is. */
interface Reader {
  /** The node that reads it; without one, the file itself is what is read. */
  readonly node?: { readonly type: string; readonly parameters: JsonObject };
  /** JavaScript for the new members of the item, or the list of new items, of what was `read`. */
  readonly result: (key: string) => string;
  readonly isList?: boolean;
  readonly note?: string;
}

const read = (type: string) => ({ type, parameters: { operation: 'read' } });

/** Readers by the operation of Extract From File. */
const READERS: Readonly<Record<string, Reader>> = {
  csv: {
    node: { type: 'csv', parameters: { operation: 'parse' } },
    // n8n leaves out cells without a text.
    result: () => "read.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')))",
    isList: true,
    note: 'a byte order mark is left out of the name of the first column here',
  },
  text: { node: read('text'), result: (key) => `{ ${key}: read.text }` },
  fromJson: {
    node: read('text'),
    result: (key) => `{ ${key}: JSON.parse(read.text) }`,
  },
  binaryToPropery: {
    result: (key) => `{ ${key}: read.file.base64 ?? fail() }`,
  },
  pdf: {
    node: { type: 'document', parameters: { format: 'pdf' } },
    result: () => '{ numpages: read.pages, text: read.text.replaceAll("\\f", "\\n\\n") }',
    note: 'the item has no info, metadata, numrender and version, and its text may have other white space',
  },
};

/** Reads the file of an item. Several items have no files here. */
export function extractNode(conversion: Conversion): Converted {
  const { id, node, parameters, input, review } = conversion;
  const { operation = 'csv', binaryPropertyName, destinationKey = 'data', options, ...others } = parameters;
  const reader = Object.hasOwn(READERS, show(operation)) ? READERS[show(operation)] : undefined;
  if (!reader) return unsupported(`the operation ${show(operation)} of files`);
  const { keepSource, ...more } = object(options);
  const unknown = [...Object.keys(others), ...Object.keys(more)];
  if (unknown[0] !== undefined) return unsupported(`its parameter ${unknown[0]}`);
  if (isExpression(destinationKey)) return unsupported('names of fields that are expressions');
  if (keepSource !== undefined && keepSource !== 'json') return unsupported('files that are kept (keepSource)');
  const key = show(destinationKey);
  if (key.includes('.')) return unsupported('a field within another');
  if (reader.note !== undefined) review(reader.note);
  const file = braced(fileOfItem(input, text(binaryPropertyName) ?? 'data', review));
  const reading: NodeDefinition = reader.node
    ? { id, type: reader.node.type, name: node.name, parameters: { ...reader.node.parameters, file } }
    : { id, type: 'set', name: node.name, parameters: { fields: { file } } };
  const result = reader.result(JSON.stringify(key));
  const kept = keepSource === 'json' ? `{ ...${input.text}, ...${result} }` : result;
  const source = [
    `const read = $nodes.${id}.output;`,
    'const fail = () => {',
    "  throw new Error('The file is in the store: read it with a node for files');",
    '};',
    `return ${reader.isList === true ? result : kept};`,
  ].join('\n');
  const scriptId = `${id}__items`;
  const output = outputOf(scriptId, reader.isList === true ? 'list' : 'one');
  return {
    nodes: [reading, { id: scriptId, type: 'code', name: `${node.name}: items`, parameters: { source } }],
    edges: [{ source: id, target: scriptId }],
    outputs: [{ nodeId: scriptId, source: output, ...(reader.isList === true && { mayBeEmpty: true }) }],
  };
}

/** How a file is made: nodes, and the expression for its content in base64. */
interface Writer {
  readonly nodes?: readonly NodeDefinition[];
  readonly base64: string;
  readonly contentType: string;
  readonly fileName: string;
}

/** Makes a file of one item, or of all of them. */
export function convertToFileNode(conversion: Conversion): Converted {
  const { id, node, parameters, scope } = conversion;
  const { binaryPropertyName = 'data', options } = parameters;
  const { fileName, mimeType, ...more } = object(options);
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) return unsupported(`its option ${unknown}`);
  const writer = writerOf(conversion);
  if (isExpression(binaryPropertyName)) return unsupported('files that an expression names');
  if (isExpression(fileName) || isExpression(mimeType))
    return unsupported('names and types of files that are expressions');
  const file: JsonObject = {
    base64: braced(writer.base64),
    contentType: convertValue(text(mimeType) ?? writer.contentType, scope),
    filename: convertValue(text(fileName) ?? writer.fileName, scope),
  };
  const { nodes: before = [] } = writer;
  const fileId = before.length === 0 ? id : `${id}__file`;
  const itemId = `${id}__item`;
  const nodes: readonly NodeDefinition[] = [
    ...before,
    { id: fileId, type: 'set', name: `${node.name}: file`, parameters: { fields: { file } } },
    { id: itemId, type: 'code', name: node.name, parameters: { source: 'return {};' } },
  ];
  const key = JSON.stringify(show(binaryPropertyName));
  const source = { ...outputOf(itemId, 'one'), files: `({ ${key}: $nodes.${fileId}.output.file })` };
  const edges = nodes.slice(1).map(({ id: target }, index) => ({ source: nodes[index]?.id ?? id, target }));
  return { nodes, edges, outputs: [{ nodeId: itemId, source }] };
}

function writerOf({ id, node, parameters, input }: Conversion): Writer {
  const { operation = 'csv', sourceProperty = '', mode = 'once' } = parameters;
  const isOne = input.shape === 'one';
  const property = (): string => {
    if (!isOne) return unsupported('a file of each of several items');
    if (isExpression(sourceProperty) || sourceProperty === '') return unsupported('a field that is not named');
    return show(sourceProperty)
      .split('.')
      .reduce((value, name) => `${value}?.[${JSON.stringify(name)}]`, input.text);
  };
  switch (operation) {
    case 'toBinary':
      return { base64: `convert.string(${property()})`, contentType: 'application/octet-stream', fileName: 'file' };
    case 'toText':
      return {
        base64: `base64Encode(convert.string(${property()}) ?? '')`,
        contentType: 'text/plain',
        fileName: 'file.txt',
      };
    case 'toJson': {
      if (mode === 'each' && !isOne) return unsupported('a file of each of several items');
      const json = mode === 'each' ? input.text : asList(input);
      return {
        base64: `base64Encode(JSON.stringify(${json}))`,
        contentType: 'application/json',
        fileName: 'file.json',
      };
    }
    case 'csv': {
      const source = [`const items = ${asList(input)};`, ...FLAT].join('\n');
      const csvId = `${id}__csv`;
      return {
        nodes: [
          { id, type: 'code', name: `${node.name}: rows`, parameters: { source } },
          {
            id: csvId,
            type: 'csv',
            name: `${node.name}: table`,
            parameters: { operation: 'write', items: `{{ $nodes.${id}.output }}` },
          },
        ],
        base64: `base64Encode(['\\uFEFF', $nodes.${csvId}.output.text.replaceAll('\\r\\n', '\\n').trimEnd()].join(''))`,
        contentType: 'text/csv',
        fileName: 'File.csv',
      };
    }
    default:
      return unsupported(`files of the format ${show(operation)}`);
  }
}

/** JavaScript that makes columns of members within others, as n8n does. */
const FLAT: readonly string[] = [
  'const cells = (value, path) => {',
  "  const isObject = typeof value === 'object' && value !== null;",
  '  if (!isObject) return [[path, value]];',
  '  const at = (name) => (path === "" ? name : `${path}.${name}`);',
  '  return Object.entries(value).flatMap(([name, each]) => cells(each, at(name)));',
  '};',
  "return items.map((item) => Object.fromEntries(cells(item, '')));",
];
