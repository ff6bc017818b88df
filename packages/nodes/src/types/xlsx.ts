import { isJsonObject, type JsonValue, type ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { workOnFile } from '../files/file-process.ts';
import { FileNameParameter, FileParameter, fileSource, once, openWithin, withExtension } from '../files/file-source.ts';
import { ItemsParameter, itemsOf } from '../items/items.ts';
import { namesOf, valuesOf } from '../items/table.ts';
import { checkedResult, checkResultLength } from '../text/limit.ts';
import { runInSlices, type Steps } from '../work/slices.ts';

/** Maximum size of a workbook, in bytes: it is decompressed in memory. */
const MAX_BYTES = 52_428_800;
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export default defineNodeType({
  type: 'xlsx',
  title: 'Excel workbook',
  description:
    'Reads a sheet of an Excel workbook (.xlsx), or writes one. `read` returns a list of objects by column, or the sheet as a CSV file, for large ones. Dates are ISO 8601 without a time zone, empty cells null, and formulas have their last result. `write` returns a file. Texts are written as texts and never as formulas. The file is read by a process of its own, which takes at most 60 s and 512 MiB.',
  keywords: ['excel', 'spreadsheet', 'table', 'sheet', 'xls', 'export'],
  category: 'data',
  icon: 'table',
  summary: '{operation}',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['read', 'write'], { description: 'Whether to read or to write' }),
      file: Type.Optional(FileParameter('For `read`: the workbook, at most 50 MB')),
      items: ItemsParameter,
      sheet: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 31,
          description:
            'The name of the sheet; for `read` also its number from 1, if none has it as its name. By default the first one',
        }),
      ),
      hasHeader: Type.Optional(
        Type.Boolean({
          default: true,
          description: 'Whether the first row names the columns; if not, rows are lists',
        }),
      ),
      columns: Type.Optional(
        Type.Array(Type.String({ maxLength: 500 }), {
          minItems: 1,
          maxItems: 1_000,
          description: 'For `write`: the members to write, in this order; by default those of all items',
        }),
      ),
      to: Type.Optional(
        Type.Enum(['items', 'csv'], { default: 'items', description: 'For `read`: return a list, or a CSV file' }),
      ),
      fileName: FileNameParameter('table.xlsx'),
    },
    { additionalProperties: false },
  ),
  form: {
    inputs: { items: 'expression', file: 'expression' },
    shownFor: {
      file: { operation: ['read'] },
      items: { operation: ['write'] },
      columns: { operation: ['write'] },
      to: { operation: ['read'] },
      fileName: { operation: ['write'] },
    },
  },
  check({ operation, file }): ValidationIssue[] {
    return operation === 'read' && file === undefined ? [{ path: 'file', message: 'is required by read' }] : [];
  },
  errors: [
    'FILE_INVALID',
    'FILE_LIMIT',
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'MEMORY_EXCEEDED',
    'NODE_BUDGET',
    'RESULT_TOO_LARGE',
    'STORAGE_FULL',
  ],
  async run(parameters, { input, files, services, signal: abortSignal, workspaceId, executionId }) {
    const { operation, file, items, sheet, hasHeader = true, columns, to = 'items' } = parameters;
    const own = { processes: services.fileProcesses, workspaceId, executionId, signal: abortSignal() };
    if (operation === 'write') {
      const list = itemsOf(items, input);
      const rows = await runInSlices(abortSignal, function* (work): Steps<string> {
        yield* checkedResult(list, work);
        const names = columns ?? (yield* namesOf(list, work));
        const header = hasHeader && names.length > 0 ? [names] : [];
        return JSON.stringify([...header, ...list.map((item) => valuesOf(item, names).map(toCell))]);
      });
      const name = parameters.fileName ?? 'table.xlsx';
      const { saved } = await workOnFile({
        ...own,
        job: { kind: 'writeSheet', sheet: sheet ?? 'Sheet1' },
        content: once(Buffer.from(rows)),
        save: (content) => files.save(content, { name, contentType: TYPE }),
      });
      return output(saved);
    }
    const source = fileSource(file, files);
    const job = { kind: 'readSheet', sheet: sheet ?? 1, to: to === 'csv' ? 'csv' : 'rows' } as const;
    const { result, saved } = await workOnFile({
      ...own,
      job,
      content: await openWithin(source, MAX_BYTES),
      ...(to === 'csv' && {
        save: (content) => files.save(content, { name: withExtension(source.name, '.csv'), contentType: 'text/csv' }),
      }),
    });
    if (to === 'csv') return output(saved);
    const rows = isJsonObject(result) && Array.isArray(result.rows) ? result.rows : [];
    return output(hasHeader ? toObjects(rows) : rows);
  },
  example: {
    trigger: { orders: [{ id: 1, buyer: 'Ada' }] },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'write', type: 'xlsx', parameters: { operation: 'write', items: '{{ $trigger.orders }}' } },
        { id: 'read', type: 'xlsx', parameters: { operation: 'read', file: '{{ $input }}' } },
      ],
      edges: [
        { source: 'start', target: 'write' },
        { source: 'write', target: 'read' },
      ],
    },
    outputs: { read: [{ id: 1, buyer: 'Ada' }] },
  },
});

/** Lists and objects are written as JSON. */
function toCell(value: JsonValue): JsonValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Names the values of every row, as the `csv` node does. */
function toObjects([header, ...rows]: readonly JsonValue[]): JsonValue {
  const names: readonly JsonValue[] = Array.isArray(header) ? header : [];
  const columns = new Map(
    names.map((name, index) => [typeof name === 'string' ? name : JSON.stringify(name ?? ''), index]),
  );
  let rowLength = 2;
  for (const name of columns.keys()) rowLength += name.length + 8;
  checkResultLength(rowLength * rows.length);
  return rows.map((row) => {
    const values: readonly JsonValue[] = Array.isArray(row) ? row : [];
    return Object.fromEntries(Array.from(columns, ([name, index]) => [name, values[index] ?? null]));
  });
}
