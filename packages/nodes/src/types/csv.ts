import { type Fault, isJsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import Type from 'typebox';
import { ItemsParameter, itemsOf } from '../items/items.js';
import { checkLength } from '../text/limit.js';

export default defineNodeType({
  type: 'csv',
  title: 'CSV',
  description:
    'Reads a table of comma-separated values (RFC 4180) into a list of objects, or writes one. Values are texts: what looks like a number or a date stays as it is written. `parse` answers the list, `write` answers `{ text }`.',
  category: 'data',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write'], { description: 'Which of both' }),
      text: Type.Optional(Type.String({ description: 'For `parse`: at most 5,000,000 characters' })),
      items: ItemsParameter,
      delimiter: Type.Optional(
        Type.String({ minLength: 1, maxLength: 10, default: ',', description: 'What stands between values' }),
      ),
      hasHeader: Type.Optional(
        Type.Boolean({
          default: true,
          description: 'Whether the first line names the columns; without, rows are lists',
        }),
      ),
      columns: Type.Optional(
        Type.Array(Type.String({ maxLength: 500 }), {
          minItems: 1,
          maxItems: 1_000,
          description: 'For `write`: which members, in this order; all of the first item without it',
        }),
      ),
      defuseFormulas: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'For `write`: put a quote before what a spreadsheet would take for a formula',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ operation, text }): Fault[] {
    return operation === 'parse' && text === undefined ? [{ path: 'text', message: 'is required by parse' }] : [];
  },
  run(parameters, { input }) {
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
      const rows = readRows(checkLength(text), delimiter);
      return output(hasHeader ? toObjects(rows) : rows);
    }
    const list = itemsOf(items, input);
    const [first] = list;
    const names = columns ?? (first !== undefined && isJsonObject(first) ? Object.keys(first) : []);
    const rows = list.map((item) => toRow(item, names));
    const lines = hasHeader && names.length > 0 ? [[...names], ...rows] : rows;
    return output({ text: stringify(lines, { delimiter, escape_formulas: defuseFormulas }) });
  },
});

function readRows(text: string, delimiter: string): string[][] {
  try {
    return parse(text, { delimiter, bom: true, relax_column_count: true, skip_empty_lines: true });
  } catch (error) {
    if (error instanceof CsvError) throw new NodeError('CSV_INVALID', error.message, { isRetryable: false });
    throw error;
  }
}

/** Values beyond the header have no name and are left out; columns that a row lacks are empty. */
function toObjects([header = [], ...rows]: readonly string[][]): JsonValue[] {
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
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
