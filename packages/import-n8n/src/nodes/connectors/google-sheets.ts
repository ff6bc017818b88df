import { isJsonObject, type JsonObject, type JsonValue, type N8nTable, type NodeDefinition } from '@deckhand/contracts';
import type { Scope } from '../../expressions/scope.ts';
import { braced, convertText, isExpression, toExpression } from '../../expressions/template.ts';
import { asList } from '../../source.ts';
import { unsupported } from '../../unsupported.ts';
import { list, object, show, text } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete, outputOf } from '../converter.ts';
import { noteCredential } from '../credentials.ts';
import { scopeInLoop } from '../each-in-loop.ts';
import { listNode } from '../list-node.ts';
import { partOfAddress } from './addresses.ts';
import { callNode, convertLocated, nameOf } from './call.ts';
import { APPENDED, READ, UPDATED } from './sheet-scripts.ts';

/** Rows of Google Sheets, by the requests that n8n sends: sheets are found by their id, and columns by their names. */
export function sheetsNode(conversion: Conversion, table: N8nTable): Converted {
  const { name } = nameOf(table, conversion.parameters);
  if (conversion.node.version < table.from) return callNode(conversion, table);
  const missing = missingPart(conversion.parameters, name);
  if (missing !== undefined) return incomplete(conversion, missing);
  switch (name) {
    case 'sheet read':
      return readRows(conversion, table);
    case 'sheet append':
      return appendRows(conversion, table);
    case 'sheet update':
    case 'sheet appendOrUpdate':
      return updateRows(conversion, table, name === 'sheet appendOrUpdate');
    default:
      return callNode(conversion, table);
  }
}

/** Returns what a node lacks without which n8n does not run. */
function missingPart({ documentId, sheetName, columns }: JsonObject, name: string): string | undefined {
  if (!/^sheet (?:read|append|update|appendOrUpdate)$/.test(name)) return undefined;
  const { mode, value: document } = object(documentId);
  if (text(document) === undefined) return 'no spreadsheet';
  if (mode === 'url' && !isExpression(document) && partOfAddress(show(document), DOCUMENT) === undefined) {
    return 'an address without the id of a spreadsheet';
  }
  const { value: sheet } = object(sheetName);
  if (sheet === undefined || sheet === '') return 'no sheet';
  const { mappingMode, value } = object(columns);
  const isMapped = name !== 'sheet read' && mappingMode === 'defineBelow';
  const isEmpty = value === undefined || value === null || (isJsonObject(value) && Object.keys(value).length === 0);
  return isMapped && isEmpty ? 'no values' : undefined;
}

/** The form of an id in an address of a spreadsheet, and in that of a sheet. */
const DOCUMENT = '.*?([-\\w]{25,})';
const SHEET = 'https://docs\\.google\\.com/spreadsheets/d/[0-9a-zA-Z\\-_].*#gid=([0-9]+)';

/** A sheet, in expressions for its spreadsheet, its name and its id. */
interface Sheet {
  readonly find: NodeDefinition;
  readonly spreadsheetId: JsonValue;
  readonly properties: string;
  readonly call: (id: string, operation: string, values: JsonObject) => NodeDefinition;
}

/** Finds the sheet of a node, as n8n does before each operation. @throws UnsupportedError */
function sheetOf(conversion: Conversion, { connector, version, credential }: N8nTable): Sheet {
  const { id, node, parameters, scope } = conversion;
  const { documentId = '', sheetName = '' } = parameters;
  noteCredential(conversion, `${credential} for the connector "${connector}"`);
  const path = 'documentId';
  const spreadsheetId = convertLocated(documentId, { path, url: DOCUMENT, modes: ['list', 'id'], isText: true }, scope);
  const { mode } = object(sheetName);
  const given = textOf(sheetName, scope);
  const isSame =
    mode === 'name'
      ? `sheet.properties.title === ${given}`
      : `sheet.properties.sheetId === parseInt(${given} === 'gid=0' ? '0' : ${given})`;
  const missing = `convert.object(${JSON.stringify('the sheet is not in the spreadsheet')})`;
  const call = (of: string, operation: string, values: JsonObject): NodeDefinition => ({
    id: of,
    type: 'connector',
    name: of === id ? `${node.name}: sheet` : `${node.name}: ${operation}`,
    parameters: { connector, version, operation, values },
  });
  return {
    find: call(id, 'spreadsheet.get', { path: { spreadsheetId } }),
    spreadsheetId,
    properties: `($nodes.${id}.output.body.sheets.find((sheet) => ${isSame})?.properties ?? ${missing})`,
    call,
  };
}

/** Returns an expression for the name of a sheet, or for its id. @throws UnsupportedError */
function textOf(sheetName: JsonValue, scope: Scope): string {
  const { mode, value = '' } = object(sheetName);
  if (mode === 'url') {
    if (isExpression(value)) return unsupported('its sheet is an address that an expression gives');
    const found = partOfAddress(show(value), SHEET);
    return JSON.stringify(found ?? unsupported('its sheet is an address of another form'));
  }
  if (mode !== 'list' && mode !== 'id' && mode !== 'name') return unsupported(`its sheet is given by ${show(mode)}`);
  return isExpression(value) ? `(convert.string(${toExpression(value, scope)}) ?? '')` : JSON.stringify(show(value));
}

/** Members of options that are converted; others make a stub. */
function optionsOf({ parameters }: Conversion, table: N8nTable, known: readonly string[]): JsonObject {
  const options = object(parameters.options);
  const other = Object.keys(options).find((name) => !known.includes(name));
  return other === undefined
    ? options
    : unsupported(`its option ${other} has no equivalent: use the connector "${table.connector}" ${table.version}`);
}

/** Returns a choice of the node. @throws UnsupportedError for one that n8n does not offer, or an expression. */
function choiceOf(given: JsonValue, known: readonly string[]): string {
  return (
    known.find((each) => each === given) ??
    unsupported(`the choice ${show(given).slice(0, 100)}: known are ${known.join(', ')}`)
  );
}

/** Returns how written values are read, as n8n does for a version of its node. @throws UnsupportedError */
function cellFormatOf(conversion: Conversion, table: N8nTable): string {
  const byDefault = conversion.node.version < 4.1 ? 'RAW' : 'USER_ENTERED';
  const { cellFormat = byDefault } = optionsOf(conversion, table, ['cellFormat']);
  return choiceOf(cellFormat, ['RAW', 'USER_ENTERED']);
}

function readRows(conversion: Conversion, table: N8nTable): Converted {
  const { id, node, parameters, input, scope } = conversion;
  const { version } = node;
  const options = optionsOf(conversion, table, [
    ...['returnFirstMatch', 'returnAllMatches', 'outputFormatting', 'dataLocationOnSheet'],
  ]);
  const {
    rangeDefinition = 'detectAutomatically',
    readRowsUntil = 'lastRowInSheet',
    ...location
  } = object(object(options.dataLocationOnSheet).values);
  if (rangeDefinition !== 'detectAutomatically' || Object.keys(location).length > 0) {
    return unsupported('a range of the sheet (dataLocationOnSheet)');
  }
  const { general = 'UNFORMATTED_VALUE', date = 'FORMATTED_STRING' } = object(object(options.outputFormatting).values);
  const rendering = {
    valueRenderOption: choiceOf(general, ['UNFORMATTED_VALUE', 'FORMATTED_VALUE', 'FORMULA']),
    dateTimeRenderOption: choiceOf(date, ['FORMATTED_STRING', 'SERIAL_NUMBER']),
  };
  const filters = list(object(parameters.filtersUI).values).map(object);
  const isPerItem = input.shape === 'list' && version > 4.1;
  if (filters.length > 0 && input.shape === 'list' && version <= 4.1) return unsupported('filters of several items');
  const sheet = sheetOf(conversion, table);
  const inner = isPerItem ? scopeInLoop(scope) : scope;
  const conditions = filters.map(({ lookupColumn = '', lookupValue = '' }) => ({
    column: convertText(lookupColumn, inner),
    value: convertText(lookupValue, inner),
  }));
  const filter: readonly NodeDefinition[] =
    filters.length === 0
      ? []
      : [{ id: `${id}__filter`, type: 'set', name: `${node.name}: filter`, parameters: { fields: { conditions } } }];
  const rows = sheet.call(`${id}__rows`, 'row.list', {
    path: {
      spreadsheetId: sheet.spreadsheetId,
      range: braced(`["'", ${sheet.properties}.title, "'"].join('')`),
    },
    query: rendering,
  });
  const isFirst = version < 4.5 ? options.returnAllMatches !== 'returnAllMatches' : options.returnFirstMatch === true;
  const settings = {
    isAll: !isFirst,
    isAnd: choiceOf(parameters.combineFilters ?? 'OR', ['AND', 'OR']) === 'AND',
    untilEmpty: choiceOf(readRowsUntil, ['firstEmptyRow', 'lastRowInSheet']) === 'firstEmptyRow',
    endsAtFirst: version >= 4.6,
  };
  const source = [
    `const values = $nodes.${rows.id}.output.body.values ?? [];`,
    `const filters = ${filters.length === 0 ? '[]' : `$nodes.${id}__filter.output.conditions`};`,
    `const settings = ${JSON.stringify(settings)};`,
    ...READ,
  ].join('\n');
  const script: NodeDefinition = { id: `${id}__items`, type: 'code', name: node.name, parameters: { source } };
  const chain = [...filter, rows, script];
  if (!isPerItem) {
    return {
      nodes: [sheet.find, ...chain],
      edges: inOrder([sheet.find, ...chain]),
      outputs: [{ nodeId: script.id, source: outputOf(script.id, 'list'), mayBeEmpty: true }],
    };
  }
  const loopId = `${id}__each`;
  const flatId = `${id}__all`;
  const loop = { id: loopId, type: 'loop', name: `${node.name}: each`, parameters: { items: braced(input.text) } };
  const flat = {
    id: flatId,
    type: 'code',
    name: `${node.name}: all`,
    parameters: { source: `return $nodes.${loopId}.output.flat();` },
  };
  return {
    nodes: [sheet.find, loop, ...chain, flat],
    edges: [
      { source: id, target: loopId },
      { source: loopId, sourceHandle: 'body', target: chain[0]?.id ?? '' },
      ...inOrder(chain),
      { source: loopId, sourceHandle: 'done', target: flatId },
    ],
    outputs: [{ nodeId: flatId, source: outputOf(flatId, 'list'), mayBeEmpty: true }],
  };
}

function inOrder(nodes: readonly NodeDefinition[]) {
  return nodes.slice(1).map(({ id: target }, index) => ({ source: nodes[index]?.id ?? '', target }));
}

/** What a node writes: the new items, and nodes that make them. */
function itemsToWrite(conversion: Conversion): Pick<Converted, 'nodes' | 'edges'> & { readonly text: string } {
  const { id, node, parameters, input, scopeOfEach, review } = conversion;
  const { mappingMode, value } = object(parameters.columns);
  const items = asList(input);
  if (mappingMode === 'autoMapInputData') {
    review('columns that the sheet does not have fail here, and so does an empty sheet; n8n adds the columns');
    return { nodes: [], edges: [], text: items };
  }
  if (mappingMode !== 'defineBelow') return unsupported(`columns of the kind ${show(mappingMode)}`);
  if (!isJsonObject(value)) return unsupported('columns that are not given one by one');
  const made = listNode(
    { ...conversion, id: `${id}__given`, node: { ...node, name: `${node.name}: values` } },
    `${items}.map((item, index) => (${toExpression(value, scopeOfEach)}))`,
  );
  return { ...made, text: made.outputs[0]?.source.text ?? items };
}

/** The rows that a sheet has, as n8n reads them before it writes. */
function currentRows(sheet: Sheet, id: string): NodeDefinition {
  return sheet.call(`${id}__rows`, 'row.list', {
    path: {
      spreadsheetId: sheet.spreadsheetId,
      range: braced(`["'", ${sheet.properties}.title, "'"].join('')`),
    },
    query: { valueRenderOption: 'FORMATTED_VALUE', dateTimeRenderOption: 'FORMATTED_STRING' },
  });
}

/** Returns a script that works out what is written, after the sheet and its rows were read. */
function writeScript(conversion: Conversion, given: string, rows: string, more: JsonObject, lines: readonly string[]) {
  const { id, node, parameters } = conversion;
  const { mappingMode, schema } = object(parameters.columns);
  const isMapped = mappingMode !== 'autoMapInputData';
  const settings = {
    ...more,
    isMapped,
    // From this version on, n8n refuses columns that are gone from the sheet.
    columns: isMapped && node.version >= 4.4 ? list(schema).map((each) => object(each).id ?? '') : [],
  };
  const source = [
    `const items = ${given};`,
    `const values = $nodes.${rows}.output.body.values ?? [];`,
    `const title = $nodes.${id}__sheet.output.title;`,
    `const settings = ${JSON.stringify(settings)};`,
    ...lines,
  ].join('\n');
  return { id: `${id}__write`, type: 'code', name: `${node.name}: rows to write`, parameters: { source } };
}

/** Returns a node whose output has the name and the id of the sheet. */
function propertiesNode({ id, node }: Conversion, sheet: Sheet): NodeDefinition {
  const fields = { title: braced(`${sheet.properties}.title`), sheetId: braced(`${sheet.properties}.sheetId`) };
  return { id: `${id}__sheet`, type: 'set', name: `${node.name}: name`, parameters: { fields } };
}

const EMPTY_ROWS = (id: string): JsonValue => [
  { appendDimension: { sheetId: `{{ $nodes.${id}__sheet.output.sheetId }}`, dimension: 'ROWS', length: 1 } },
];

function appendRows(conversion: Conversion, table: N8nTable): Converted {
  const { id, input } = conversion;
  const cellFormat = cellFormatOf(conversion, table);
  const sheet = sheetOf(conversion, table);
  const given = itemsToWrite(conversion);
  const rows = currentRows(sheet, id);
  const script = writeScript(conversion, given.text, rows.id, {}, APPENDED);
  const { spreadsheetId } = sheet;
  const room = sheet.call(`${id}__room`, 'spreadsheet.change', {
    path: { spreadsheetId },
    body: { requests: EMPTY_ROWS(id) },
  });
  const range = `{{ $nodes.${script.id}.output.range }}`;
  const write = sheet.call(`${id}__update`, 'row.update', {
    path: { spreadsheetId, range },
    query: { valueInputOption: cellFormat },
    body: { range, values: `{{ $nodes.${script.id}.output.values }}` },
  });
  const nodes = [sheet.find, propertiesNode(conversion, sheet), rows, ...given.nodes, script, room, write];
  return { nodes, edges: inOrder(nodes), outputs: [written(write.id, script.id, input.shape)] };
}

/** The items that were written are the output, which the script has. */
function written(nodeId: string, scriptId: string, shape: 'one' | 'list') {
  return { nodeId, source: outputOf(scriptId, shape, shape === 'one' ? '.item' : '.items') };
}

function updateRows(conversion: Conversion, table: N8nTable, isUpsert: boolean): Converted {
  const { id, node, parameters, input, review } = conversion;
  const cellFormat = cellFormatOf(conversion, table);
  const { matchingColumns, mappingMode, value } = object(parameters.columns);
  const fields = Object.keys(object(value));
  const [key, ...others] = list(matchingColumns).map(show);
  if (key === undefined || others.length > 0) return unsupported('rows that are found by several columns, or by none');
  if (key === 'row_number') return unsupported('rows that are found by their number');
  if (mappingMode === 'autoMapInputData') return unsupported('rows that are updated with all fields of the items');
  if (isUpsert) review('a sheet without any row fails here; n8n writes the names of the columns');
  const sheet = sheetOf(conversion, table);
  const given = itemsToWrite(conversion);
  const rows = currentRows(sheet, id);
  const script = writeScript(conversion, given.text, rows.id, { key, isUpsert, fields }, UPDATED);
  const { spreadsheetId } = sheet;
  const once = (of: string, name: string, what: string): NodeDefinition => ({
    id: of,
    type: 'loop',
    name: `${node.name}: ${name}`,
    parameters: { items: `{{ $nodes.${script.id}.output.${what}.length > 0 ? [0] : [] }}` },
  });
  const updates = once(`${id}__updates`, 'known rows', 'data');
  const update = sheet.call(`${id}__update`, 'range.update', {
    path: { spreadsheetId },
    body: { valueInputOption: cellFormat, data: `{{ $nodes.${script.id}.output.data }}` },
  });
  const head = [sheet.find, propertiesNode(conversion, sheet), rows, ...given.nodes, script, updates];
  const ofUpdate = [...inOrder(head), { source: updates.id, sourceHandle: 'body', target: update.id }];
  const shape = isUpsert ? input.shape : 'list';
  if (!isUpsert) {
    return {
      nodes: [...head, update],
      edges: ofUpdate,
      outputs: [{ ...written(updates.id, script.id, 'list'), handle: 'done', mayBeEmpty: true }],
    };
  }
  const appends = once(`${id}__appends`, 'new rows', 'values');
  const room = sheet.call(`${id}__room`, 'spreadsheet.change', {
    path: { spreadsheetId },
    body: { requests: EMPTY_ROWS(id) },
  });
  const range = `{{ $nodes.${script.id}.output.range }}`;
  const append = sheet.call(`${id}__append`, 'row.update', {
    path: { spreadsheetId, range },
    query: { valueInputOption: cellFormat },
    body: { range, values: `{{ $nodes.${script.id}.output.values }}` },
  });
  return {
    nodes: [...head, update, appends, room, append],
    edges: [
      ...ofUpdate,
      { source: updates.id, sourceHandle: 'done', target: appends.id },
      { source: appends.id, sourceHandle: 'body', target: room.id },
      { source: room.id, target: append.id },
    ],
    outputs: [{ ...written(appends.id, script.id, shape), handle: 'done' }],
  };
}
