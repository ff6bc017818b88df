import type { N8nTable, NodeDefinition } from '@deckhand/contracts';
import { isExpression } from '../../expressions/template.ts';
import { unsupported } from '../../unsupported.ts';
import { object, show, text } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete, outputOf } from '../converter.ts';
import { noteCredential } from '../credentials.ts';
import { callNode, convertLocated, nameOf } from './call.ts';

/** Operations of Google Drive; a download becomes a file of the item. */
export function driveNode(conversion: Conversion, table: N8nTable): Converted {
  const { node, parameters } = conversion;
  const isDownload = nameOf(table, parameters).name === 'file download' && node.version >= table.from;
  return isDownload ? download(conversion, table) : callNode(conversion, table);
}

/** The form of an id in an address of a file. */
const FILE = 'https://(?:drive|docs)\\.google\\.com(?:/.*)?/d/([0-9a-zA-Z\\-_]+)';

function download(conversion: Conversion, { connector, version, credential }: N8nTable): Converted {
  const { id, node, parameters, input, scope, review } = conversion;
  const { fileId: given = '', options } = parameters;
  if (input.shape === 'list') return unsupported('a file of each of several items');
  const { binaryPropertyName = 'data', fileName, googleFileConversion: _, ...others } = object(options);
  const [other] = Object.keys(others);
  if (other !== undefined) return unsupported(`its option ${other}`);
  if (isExpression(binaryPropertyName) || isExpression(fileName)) return unsupported('files that an expression names');
  if (given === '' || object(given).value === '') return incomplete(conversion, 'no file');
  noteCredential(conversion, `${credential} for the connector "${connector}"`);
  review('documents of Google fail here: use the operation "file.export", which n8n does by itself');
  review('a file of more than 10 MiB fails: set maxResponseBytes');
  const fileId = convertLocated(given, { path: 'fileId', url: FILE, modes: ['list', 'id'], isText: true }, scope);
  const call = (of: string, operation: string, more: object): NodeDefinition => ({
    id: of,
    type: 'connector',
    name: `${node.name}: ${operation}`,
    parameters: { connector, version, operation, values: { path: { fileId } }, ...more },
  });
  const fileNodeId = `${id}__download`;
  const itemId = `${id}__item`;
  const nodes: readonly NodeDefinition[] = [
    call(id, 'file.get', {}),
    call(fileNodeId, 'file.download', { responseType: 'binary' }),
    { id: itemId, type: 'code', name: node.name, parameters: { source: `return ${input.text};` } },
  ];
  const name = text(fileName) === undefined ? `$nodes.${id}.output.body.name` : JSON.stringify(fileName);
  const before = input.files === undefined ? '' : `...${input.files}, `;
  const file = `{ ...$nodes.${fileNodeId}.output.body, filename: ${name} }`;
  const files = `({ ${before}${JSON.stringify(show(binaryPropertyName) || 'data')}: ${file} })`;
  return {
    nodes,
    edges: nodes.slice(1).map(({ id: target }, index) => ({ source: nodes[index]?.id ?? id, target })),
    outputs: [{ nodeId: itemId, source: { ...outputOf(itemId, 'one'), files } }],
  };
}
