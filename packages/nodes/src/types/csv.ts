import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, type Outcome, output } from '@deckhand/engine';
import { type Options, stringify } from 'csv-stringify/sync';
import Type from 'typebox';
import { listBatches, readRowsText, RowsParameter } from '../files/batches.ts';
import {
  CharsetParameter,
  checkTextSource,
  FileNameParameter,
  FileParameter,
  saveText,
  TargetParameter,
} from '../files/file-source.ts';
import { ItemsParameter, itemsOf } from '../items/items.ts';
import { namesOf, valuesOf } from '../items/table.ts';
import { checkLength, checkResultLength } from '../text/limit.ts';
import { readRows } from '../text/read-csv.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

export default defineNodeType({
  type: 'csv',
  title: 'CSV',
  description:
    'Reads a table of comma-separated values (RFC 4180) into a list of objects, or writes one. Values are texts: numbers and dates stay as they are written. CRLF, LF and CR end lines, in any mixture. `parse` returns the list, `write` returns `{ text }`, or a file. `split` divides a file of any size into a list of batches of rows, for the `items` of a loop: in its body, `parse` takes {{ $loop.item }} as its `file`.',
  keywords: ['comma-separated', 'table', 'spreadsheet', 'excel', 'parse', 'export'],
  category: 'data',
  icon: 'table',
  summary: '{operation}',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write', 'split'], {
        description: 'Whether to parse, to write, or to split a file',
      }),
      text: Type.Optional(Type.String({ description: 'For `parse`: at most 5,000,000 characters' })),
      file: Type.Optional(FileParameter('For `split`, and for `parse` instead of `text`')),
      items: ItemsParameter,
      delimiter: Type.Optional(
        Type.String({ minLength: 1, maxLength: 10, default: ',', description: 'The separator between values' }),
      ),
      hasHeader: Type.Optional(
        Type.Boolean({
          default: true,
          description: 'Whether the first line names the columns; if not, rows are lists',
        }),
      ),
      columns: Type.Optional(
        Type.Array(Type.String({ maxLength: 500 }), {
          minItems: 1,
          maxItems: 1_000,
          description: 'For `write`: the members to write, in this order; by default those of all items',
        }),
      ),
      defuseFormulas: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'For `write`: put a quote before values that a spreadsheet would run as formulas',
        }),
      ),
      rows: RowsParameter,
      to: TargetParameter,
      fileName: FileNameParameter('table.csv'),
      charset: CharsetParameter,
    },
    { additionalProperties: false },
  ),
  form: {
    inputs: { items: 'expression', file: 'expression' },
    shownFor: {
      text: { operation: ['parse'] },
      file: { operation: ['parse', 'split'] },
      items: { operation: ['write'] },
      columns: { operation: ['write'] },
      defuseFormulas: { operation: ['write'] },
      rows: { operation: ['split'] },
      to: { operation: ['write'] },
      fileName: { operation: ['write'] },
    },
  },
  check: checkTextSource,
  errors: [
    'CSV_INVALID',
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'MEMORY_EXCEEDED',
    'NODE_BUDGET',
    'RESULT_TOO_LARGE',
    'STORAGE_FULL',
    'TEXT_TOO_LARGE',
  ],
  async run(parameters, { input, signal, files }) {
    const { operation, text, file, items, delimiter = ',', hasHeader = true, columns, charset } = parameters;
    switch (operation) {
      case 'split':
        return output(
          await listBatches(file, files, { delimiter, hasHeader, rows: parameters.rows ?? 1_000, charset, signal }),
        );
      case 'parse': {
        const table = text === undefined ? await readRowsText(file, files, charset) : checkLength(text);
        return runInSlices(signal, (work) => readTable(table, { delimiter, hasHeader, work }));
      }
      case 'write': {
        const list = itemsOf(items, input);
        const written = await runInSlices(signal, function* (work): Steps<string> {
          const names = columns ?? (yield* namesOf(list, work));
          const header = hasHeader && names.length > 0 ? [[...names]] : [];
          const options = { delimiter, ...(parameters.defuseFormulas === true && DEFUSED) };
          return yield* writeTable({ header, list, names, options }, work);
        });
        if (parameters.to !== 'file') return output({ text: written });
        const { fileName: name = 'table.csv' } = parameters;
        return output(await saveText(files, written, { name, contentType: 'text/csv', charset }));
      }
    }
  },
  example: {
    trigger: { text: 'id,name\n1,Ada\n2,"Grace, Hopper"\n' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'csv', type: 'csv', parameters: { operation: 'parse', text: '{{ $trigger.text }}' } },
      ],
      edges: [{ source: 'start', target: 'csv' }],
    },
    outputs: {
      csv: [
        { id: '1', name: 'Ada' },
        { id: '2', name: 'Grace, Hopper' },
      ],
    },
  },
});

/** The library lacks the line feed among the first characters of formulas (OWASP, CSV injection). */
const DEFUSED: Options = {
  escape_formulas: true,
  cast: { string: (value) => (value.startsWith('\n') ? `'${value}` : value) },
};

function* readTable(
  text: string,
  { delimiter, hasHeader, work }: { delimiter: string; hasHeader: boolean; work: Work },
): Steps<Outcome> {
  const rows = yield* readRows(text, delimiter, work);
  return output(hasHeader ? yield* toObjects(rows, text, work) : rows);
}

/**
 * Names the values of every row. Values beyond the header have no name and are left out; columns that a row lacks are
 * empty; of columns of one name the last one counts.
 */
function* toObjects(rows: readonly string[][], text: string, work: Work): Steps<JsonValue[]> {
  const columns = new Map<string, number>();
  for (const [index, name] of (rows[0] ?? []).entries()) {
    columns.set(name, index);
    if (work.spend(2)) yield;
  }
  // Each row repeats all names, with quotes, a colon and a comma: a few more characters can become gigabytes.
  let rowLength = 2;
  for (const name of columns.keys()) rowLength += name.length + 6;
  checkResultLength(rowLength * (rows.length - 1) + text.length);
  const objects: JsonValue[] = [];
  for (let at = 1; at < rows.length; at += 1) {
    if (work.spend(1 + columns.size * 4)) yield;
    const row = rows[at] ?? [];
    objects.push(Object.fromEntries(Array.from(columns, ([name, index]) => [name, row[index] ?? ''])));
  }
  return objects;
}

/** The rows to write: a header of one row or none, and the items. */
interface Table {
  readonly header: readonly Row[];
  readonly list: readonly JsonValue[];
  readonly names: readonly string[];
  readonly options: Options;
}

type Row = readonly (string | number)[];

/** Number of rows that are written at once. */
const ROWS_PER_BATCH = 100;

function* writeTable({ header, list, names, options }: Table, work: Work): Steps<string> {
  const parts: string[] = [];
  let batch: Row[] = [...header];
  let length = 0;
  const write = (): void => {
    parts.push(stringify(batch, { ...options, ...quotesOf(batch, parts.length === 0) }));
    batch = [];
  };
  for (const item of list) {
    const row = valuesOf(item, names).map(toCell);
    const rowLength = row.reduce<number>((sum, value) => sum + lengthOf(value) + 1, 0);
    length += rowLength;
    checkResultLength(length);
    batch.push(row);
    const isUsedUp = work.spend(4 + row.length * 2 + rowLength / 4);
    if (!isUsedUp && batch.length < ROWS_PER_BATCH) continue;
    write();
    if (isUsedUp) yield;
  }
  write();
  return parts.join('');
}

/**
 * Quotes what would not be read back: the only value of a row if it is empty, because empty lines are skipped, and a
 * byte order mark at the start of the text.
 */
function quotesOf(batch: readonly Row[], isFirst: boolean): Options {
  return {
    quoted_empty: batch.some((row) => row.length === 1 && row[0] === ''),
    ...(isFirst && { quoted_match: /^\uFEFF/ }),
  };
}

function lengthOf(value: string | number): number {
  return typeof value === 'string' ? value.length : String(value).length;
}

/** Numbers stay numbers, so that a negative one is not a formula. */
function toCell(value: JsonValue): string | number {
  if (value === null) return '';
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
