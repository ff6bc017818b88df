import { type ValidationIssue, isJsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, type Outcome, output } from '@deckhand/engine';
import { type Options, stringify } from 'csv-stringify/sync';
import Type from 'typebox';
import { ItemsParameter, itemsOf } from '../items/items.ts';
import { checkLength, checkResultLength } from '../text/limit.ts';
import { readRows } from '../text/read-csv.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

export default defineNodeType({
  type: 'csv',
  title: 'CSV',
  description:
    'Reads a table of comma-separated values (RFC 4180) into a list of objects, or writes one. Values are texts: numbers and dates stay as they are written. CRLF, LF and CR end lines, in any mixture. `parse` returns the list, `write` returns `{ text }`.',
  keywords: ['comma-separated', 'table', 'spreadsheet', 'excel', 'parse', 'export'],
  category: 'data',
  icon: 'table',
  summary: '{operation}',
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
          description: 'For `write`: the members to write, in this order; by default those of all items',
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
  form: { inputs: { items: 'expression' } },
  check({ operation, text }): ValidationIssue[] {
    return operation === 'parse' && text === undefined ? [{ path: 'text', message: 'is required by parse' }] : [];
  },
  errors: ['CSV_INVALID', 'NODE_BUDGET', 'RESULT_TOO_LARGE', 'TEXT_TOO_LARGE'],
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
    return runInSlices(signal, function* (work): Steps<Outcome> {
      const names = columns ?? (yield* namesOf(list, work));
      const header = hasHeader && names.length > 0 ? [[...names]] : [];
      return yield* writeTable({ header, list, names, options: { delimiter, ...(defuseFormulas && DEFUSED) } }, work);
    });
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

/** Returns the names of the members of all items, in the order in which they first appear. */
function* namesOf(list: readonly JsonValue[], work: Work): Steps<string[]> {
  const names: string[] = [];
  const known = new Set<string>();
  for (const item of list) {
    if (!isJsonObject(item)) continue;
    let place = 0;
    // Parsed or created values have no inherited members; listing their names would create garbage.
    for (const name in item) {
      // Most items have the same members as the first one.
      if (names[place] !== name && !known.has(name)) {
        names.push(name);
        known.add(name);
      }
      place += 1;
    }
    if (work.spend(1 + place / 4)) yield;
  }
  // Each row has all of them.
  checkResultLength(names.length * list.length);
  return names;
}

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

function* writeTable({ header, list, names, options }: Table, work: Work): Steps<Outcome> {
  const parts: string[] = [];
  let batch: Row[] = [...header];
  let length = 0;
  const write = (): void => {
    parts.push(stringify(batch, { ...options, ...quotesOf(batch, parts.length === 0) }));
    batch = [];
  };
  for (const item of list) {
    const row = toRow(item, names);
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
  return output({ text: parts.join('') });
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

function toRow(item: JsonValue, names: readonly string[]): Row {
  if (Array.isArray(item)) {
    const list: readonly JsonValue[] = item;
    return list.map(toCell);
  }
  if (!isJsonObject(item)) return [toCell(item)];
  return names.map((name) => toCell(Object.hasOwn(item, name) ? (item[name] ?? null) : null));
}

/** Numbers stay numbers, so that a negative one is not a formula. */
function toCell(value: JsonValue): string | number {
  if (value === null) return '';
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
