import type { JsonValue, N8nTable, NodeDefinition } from '@deckhand/contracts';
import type { Scope } from '../../expressions/scope.ts';
import { memberOfFile } from '../../expressions/parts.ts';
import { braced, isExpression, toExpression } from '../../expressions/template.ts';
import { fileOfItem } from '../../files.ts';
import { unsupported } from '../../unsupported.ts';
import { object, show, text } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete, outputOf } from '../converter.ts';
import { noteCredential } from '../credentials.ts';
import { eachInLoop } from '../each-in-loop.ts';
import { callNode, convertLocated, nameOf } from './call.ts';

/** Operations of Google Drive; a download becomes a file of the item, and an upload sends one. */
export function driveNode(conversion: Conversion, table: N8nTable): Converted {
  const { node, parameters } = conversion;
  const { name } = nameOf(table, parameters);
  if (node.version < table.from) return callNode(conversion, table);
  if (name === 'file download') return download(conversion, table);
  if (name === 'folder create') return createFolder(conversion, table);
  return name === 'file upload' ? upload(conversion, table) : callNode(conversion, table);
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

/** The form of an id in an address of a folder, and in one of a shared drive. */
const FOLDER = 'https://drive\\.google\\.com(?:/.*)?/folders/([0-9a-zA-Z\\-_]+)';
/** What n8n has for the drive of the account, and for its top folder. */
const MY_DRIVE = 'My Drive';
const ROOT = 'root';

function upload(conversion: Conversion, { connector, version, credential }: N8nTable): Converted {
  const { id, node, parameters, input, scope, review } = conversion;
  const { inputDataFieldName = 'data', name = '', options } = parameters;
  const { simplifyOutput = false, ...others } = object(options);
  const [other] = Object.keys(others);
  if (other !== undefined) return unsupported(`its option ${other}: use the operation "file.upload"`);
  if (typeof simplifyOutput !== 'boolean') return unsupported('an expression that chooses the members of the item');
  const file = fileOfItem(input, inputDataFieldName, review);
  noteCredential(conversion, `${credential} for the connector "${connector}"`);
  review('files of more than 5 MB fail');
  const members = simplifyOutput ? 'kind, id, name and mimeType' : 'all members';
  review(`the item has id, name, mimeType, parents, webViewLink, size and modifiedTime of the file, in n8n ${members}`);
  review('the file is in the top folder, without a name, until the request after the upload moves and names it');
  const parent = parentOf(conversion, scope);
  const fileName = `(${memberOfFile(`(${file})`, 'fileName')} ?? 'Untitled')`;
  const named = `convert.string(${toExpression(name, scope)})`;
  const uploadId = `${id}__upload`;
  const nodes: readonly NodeDefinition[] = [
    {
      id: uploadId,
      type: 'connector',
      name: `${node.name}: file.upload`,
      parameters: { connector, version, operation: 'file.upload', values: { body: braced(file) } },
    },
    {
      id,
      type: 'connector',
      name: node.name,
      parameters: {
        connector,
        version,
        operation: 'file.update',
        values: {
          path: { fileId: `{{ $nodes.${uploadId}.output.body.id }}` },
          query: { addParents: parent },
          body: {
            name: braced(name === '' ? fileName : `${named} || ${fileName}`),
            originalFilename: braced(fileName),
            mimeType: braced(memberOfFile(`(${file})`, 'mimeType')),
          },
        },
      },
    },
  ];
  return {
    nodes,
    edges: [{ source: uploadId, target: id }],
    outputs: [{ nodeId: id, source: outputOf(id, 'one', '.body') }],
  };
}

/** Returns the folder that a new file goes to: that of its own, or that of its drive. */
function parentOf({ parameters }: Conversion, scope: Scope): JsonValue {
  const { folderId = ROOT, driveId = MY_DRIVE } = parameters;
  const chosen = (given: JsonValue, path: string): JsonValue =>
    convertLocated(given, { path, url: FOLDER, modes: ['list', 'id'], isText: true }, scope);
  const folder = chosen(folderId, 'folderId');
  if (folder !== ROOT && folder !== '') return folder;
  const drive = chosen(driveId, 'driveId');
  return drive === MY_DRIVE || drive === '' ? ROOT : drive;
}

function createFolder(conversion: Conversion, { connector, version, credential }: N8nTable): Converted {
  const { node, parameters, review } = conversion;
  const { name = '', options } = parameters;
  const { simplifyOutput = true, ...others } = object(options);
  const [other] = Object.keys(others);
  if (other !== undefined) return unsupported(`its option ${other}: use the operation "folder.create"`);
  noteCredential(conversion, `${credential} for the connector "${connector}"`);
  const members = simplifyOutput === true ? 'kind, id, name and mimeType' : 'all members';
  review(`the item has id, name, mimeType, parents, webViewLink and modifiedTime of the folder, in n8n ${members}`);
  return eachInLoop(conversion, {
    node: (id, scope) => ({
      id,
      type: 'connector',
      name: node.name,
      parameters: {
        connector,
        version,
        operation: 'folder.create',
        values: {
          body: {
            name: braced(`convert.string(${toExpression(name, scope)}) || 'Untitled'`),
            parents: [parentOf(conversion, scope)],
          },
        },
      },
    }),
    lines: ['const result = outputs.map(({ body }) => body);'],
    shape: 'one',
  });
}
