import { type ValidationIssue, isJsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, type Outcome, output } from '@deckhand/engine';
import { stringify } from 'csv-stringify/sync';
import Type from 'typebox';
import { ItemsParameter, itemsOf } from '../items/items.ts';
import { checkLength, checkResultLength } from '../text/limit.ts';
import { readRows } from '../text/read-csv.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

export default defineNodeType({
  type: 'csv',
  title: 'CSV',
  description:
    'Reads a table of comma-separated values (RFC 4180) into a list of objects, or writes one. Values are texts: numbers and dates stay as they are written. `parse` returns the list, `write` returns `{ text }`.',
  keywords: ['comma-separated', 'table', 'spreadsheet', 'excel', 'parse', 'export'],
  category: 'data',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write'], { description: 'Whether to parse or to write' }),
      text: Type.Optional(Type.String({ description: 'For `parse`: at most 5,000,000 characters' })),
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
          description: 'For `write`: the members to write, in this order; by default all of the first item',
        }),
      ),
      defuseFormulas: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'For `write`: put a quote before values that a spreadsheet would run as formulas',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ operation, text }): ValidationIssue[] {
    return operation === 'parse' && text === undefined ? [{ path: 'text', message: 'is required by parse' }] : [];
  },
  run(parameters, { input, signal }) {
    const {
      operation,
      text = '',
      items,
      delimiter = ',',
      hasHeader = true,
      columns,
      defuseFormulas = false,
    } = parameters;
    if (operation === 'parse') {
      checkLength(text);
      return runInSlices(signal, (work) => readTable(text, { delimiter, hasHeader, work }));
    }
    const list = itemsOf(items, input);
    const [first] = list;
    const names = columns ?? (first !== undefined && isJsonObject(first) ? Object.keys(first) : []);
    const table: Table = {
      header: hasHeader && names.length > 0 ? [[...names]] : [],
      list,
      names,
      write: (rows) => stringify([...rows], { delimiter, escape_formulas: defuseFormulas }),
    };
    return runInSlices(signal, (work) => writeTable(table, work));
  },
});

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
  readonly header: readonly string[][];
  readonly list: readonly JsonValue[];
  readonly names: readonly string[];
  readonly write: (rows: readonly string[][]) => string;
}

/** Number of rows that are written at once. */
const ROWS_PER_BATCH = 100;

function* writeTable({ header, list, names, write }: Table, work: Work): Steps<Outcome> {
  const parts: string[] = [];
  let batch: string[][] = [...header];
  let length = 0;
  for (const item of list) {
    const row = toRow(item, names);
    const rowLength = row.reduce((sum, value) => sum + value.length + 1, 0);
    length += rowLength;
    checkResultLength(length);
    batch.push(row);
    const isUsedUp = work.spend(4 + row.length * 2 + rowLength / 4);
    if (!isUsedUp && batch.length < ROWS_PER_BATCH) continue;
    parts.push(write(batch));
    batch = [];
    if (isUsedUp) yield;
  }
  parts.push(write(batch));
  return output({ text: parts.join('') });
}

function toRow(item: JsonValue, names: readonly string[]): string[] {
  if (Array.isArray(item)) {
    const list: readonly JsonValue[] = item;
    return list.map(toText);
  }
  if (!isJsonObject(item)) return [toText(item)];
  return names.map((name) => toText(Object.hasOwn(item, name) ? (item[name] ?? null) : null));
}

function toText(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
