import type { JsonObject, JsonValue } from '@deckhand/contracts';
import {
  braced,
  convertValue,
  isExpression,
  isSingle,
  literal,
  partsOf,
  toExpression,
} from '../expressions/template.ts';
import type { Scope } from '../expressions/scope.ts';
import { unsupported } from '../unsupported.ts';
import { isList, list, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, incomplete } from './converter.ts';
import { noteCredential } from './credentials.ts';
import { eachInLoop } from './each-in-loop.ts';
import { plainName } from './lodash.ts';
import { reviewOthers } from './triggers.ts';

/** A statement and its values, as parameters of the node. */
interface Statement {
  readonly query: string;
  readonly values: JsonValue;
}

/** What a node does for each item. */
interface Operation {
  readonly statement: (scope: Scope) => Statement;
  /** Whether it only selects rows: without any, it has no items. Otherwise there is one that says that it succeeded. */
  readonly isSelect: boolean;
  /** Whether there is exactly one row for an item. */
  readonly isOne?: boolean;
  /** Whether it fails if there is no row. */
  readonly mustMatch?: boolean;
}

/** Most rows that the node returns here. */
const MAX_ROWS = 100_000;

/** Options that are converted, or concern connections alone. */
const OPTIONS = new Set([
  ...['cascade', 'connectionTimeout', 'delayClosingIdleConnection', 'largeNumbersOutput', 'outputColumns'],
  ...['queryBatching', 'queryReplacement', 'replaceEmptyStrings', 'skipOnConflict'],
  'treatQueryParametersInSingleQuotesAsText',
]);

/** Runs a statement of SQL for each item. */
export function postgresNode(conversion: Conversion): Converted {
  const { node, parameters, input, review } = conversion;
  if (node.version < 2) return unsupported('version 1 of this node');
  const options = object(parameters.options);
  const { queryBatching = 'single', largeNumbersOutput } = options;
  if (options.replaceEmptyStrings === true) return unsupported('empty texts that become null (replaceEmptyStrings)');
  if (parameters.operation !== 'executeQuery' && nameIn(parameters.table) === undefined) {
    return incomplete(conversion, 'no table');
  }
  const operation = operationOf(conversion);
  reviewOthers(Object.fromEntries(Object.entries(options).filter(([name]) => !OPTIONS.has(name))), review);
  noteCredential(conversion, 'postgres');
  review('values are bound to the statement here, n8n writes them into it: some may need a cast such as $1::int');
  review(
    `rows have bigint as numbers here, in n8n as text, dates without the time that n8n adds, and bytes as base64${largeNumbersOutput === 'numbers' ? '; exact decimals are text' : ''}`,
  );
  if (input.shape === 'list' && queryBatching !== 'independently') {
    review('the statement of each item is a transaction of its own here, in n8n they are one');
  }
  const isEmpty = operation.isSelect && (node.version >= 2.3 || parameters.operation === 'select');
  // Before version 2.3, n8n wraps it by mistake where it does not run all statements together.
  const told = node.version < 2.3 && queryBatching !== 'single' ? '{ json: { success: true } }' : '{ success: true }';
  const success = isEmpty ? '' : told;
  const rows = 'outputs.flatMap(({ rows }) => rows)';
  const perItem = success === '' ? rows : `outputs.flatMap(({ rows }) => (rows.length > 0 ? rows : [${success}]))`;
  const together = success === '' ? rows : `${rows}.length > 0 ? ${rows} : [${success}]`;
  return eachInLoop(conversion, {
    node: (id, scope) => {
      const { query, values } = operation.statement(scope);
      const hasValues = !isList(values) || values.length > 0;
      return {
        id,
        type: 'postgres',
        name: node.name,
        parameters: { query, ...(hasValues && { values }), maxRows: MAX_ROWS },
      };
    },
    lines: [
      ...(operation.mustMatch === true
        ? ["if (outputs.some(({ rows }) => rows.length === 0)) throw new Error('no row matches');"]
        : []),
      `const result = ${queryBatching === 'single' ? together : perItem};`,
    ],
    shape: operation.isOne === true && input.shape === 'one' ? 'one' : 'list',
    mayBeEmpty: success === '',
  });
}

function operationOf(conversion: Conversion): Operation {
  const { parameters } = conversion;
  const { operation = 'insert', resource = 'database' } = parameters;
  if (resource !== 'database') return unsupported(`the resource ${show(resource)}`);
  switch (operation) {
    case 'executeQuery':
      return executeQuery(conversion);
    case 'insert':
      return insert(conversion);
    case 'update':
      return update(conversion);
    case 'upsert':
      return upsert(conversion);
    case 'select':
      return select(conversion);
    case 'deleteTable':
      return deleteFrom(conversion);
    default:
      return unsupported(`the operation ${show(operation)}`);
  }
}

/**
 * Text in quotes and comments of SQL, within which nothing has a meaning. What is not closed reaches to the end, so no
 * part of a long statement is read again.
 */
const OPAQUE =
  /(?<![\w$])[eE]'(?:[^'\\]|\\[\s\S]?|'')*(?:'|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<![\w$])(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?(?:\1|$)/g;

function executeQuery({ parameters, node, review }: Conversion): Operation {
  const { query = '', options } = parameters;
  const { queryReplacement } = object(options);
  if (typeof query !== 'string' || query.trim() === '') return unsupported('no statement');
  const plain = query.replace(OPAQUE, ' ');
  const statements = plain.split(';').filter((each) => each.trim() !== '');
  if (statements.length !== 1) return unsupported('several statements: make a node of each');
  if (/\$\d+(?::|~|\^|#)(?!:)/.test(plain)) return unsupported('parameters with a format, such as $1:name');
  const isQuoted = (query.match(OPAQUE) ?? []).some((each) => !/^(?:--|\/)/.test(each) && /\$\d/.test(each));
  const isText = object(options).treatQueryParametersInSingleQuotesAsText === true;
  if (isQuoted && isGiven(queryReplacement) && !isText) return unsupported('a parameter within quotes');
  const writesData = query.includes('{{');
  if (writesData) {
    review('expressions are written into the statement, as in n8n: pass them as values instead, such as $1');
  }
  return {
    statement: (scope) => ({
      query: isExpression(query) ? show(convertValue(query, scope)) : withValues(query, scope),
      values: isGiven(queryReplacement) ? valuesOf(queryReplacement, node.version, scope) : [],
    }),
    isSelect: commandOf(plain) === 'SELECT',
  };
}

/** Returns the command of a statement without its texts: the first one that is not in parentheses. */
function commandOf(plain: string): string | undefined {
  let depth = 0;
  for (const [part] of plain.matchAll(/[()]|\w+/g)) {
    if (part === '(') depth += 1;
    else if (part === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0 && COMMANDS.has(part.toUpperCase())) return part.toUpperCase();
  }
  return undefined;
}

const COMMANDS = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE']);

function isGiven(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== '';
}

/** Returns a statement whose expressions are written into it as text. */
function withValues(query: string, scope: Scope): string {
  return partsOf(query)
    .map((part) => {
      if ('literal' in part) return show(convertValue(part.literal, scope));
      return braced(`String(${toExpression(`={{ ${part.source} }}`, scope)})`);
    })
    .join('');
}

/** Returns the values for $1, $2 and so on: expressions, or texts with commas between them. */
function valuesOf(given: JsonValue, version: number, scope: Scope): JsonValue {
  if (isList(given)) return convertValue(given, scope);
  if (typeof given !== 'string') return [show(given)];
  if (isSingle(given)) {
    const value = toExpression(given, scope);
    scope.review(COMMAS);
    return value.startsWith('[') ? braced(value) : braced(`Array.isArray(${value}) ? ${value} : [${value}]`);
  }
  const parts = partsOf(given.replace(/^=+/, ''));
  const sources = parts.flatMap((part) => ('source' in part ? [part.source] : []));
  if (sources.length === 0) return textsOf(given.replace(/^=+/, ''));
  if (version >= 2.5) {
    scope.review(COMMAS);
    return sources.map((source) => convertValue(`={{ ${source} }}`, scope));
  }
  if (sources.some((source) => source.includes(','))) return unsupported('query parameters with a comma within');
  return parts.flatMap((part): JsonValue[] =>
    'source' in part ? [convertValue(`={{ ${part.source} }}`, scope)] : textsOf(part.literal),
  );
}

const COMMAS =
  'each expression is one value here; in n8n, text with commas becomes several, a missing value none, and null a text';

function textsOf(given: string): string[] {
  return given
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Returns a name that is written as text or chosen from a list; undefined for none. */
function nameIn(given: JsonValue | undefined): string | undefined {
  return text(typeof given === 'string' ? given : object(given).value);
}

/** Returns the name of a table with its schema, as SQL. */
function tableOf({ schema = 'public', table }: JsonObject): string {
  const [ofSchema, ofTable] = [schema, table].map((given) => {
    const value = literal(nameIn(given) ?? '');
    return isExpression(value) ? unsupported('a table that an expression names') : show(value);
  });
  return `${quote(ofSchema ?? '')}.${quote(ofTable ?? '')}`;
}

function quote(name: string): string {
  if (name.includes('{{')) return unsupported(`the name "${name}"`);
  return `"${name.replaceAll('"', '""')}"`;
}

function columnsOf(given: JsonValue | undefined): string {
  if (given === undefined || (isList(given) && given.includes('*'))) return '*';
  if (!isList(given)) return unsupported('columns that are not named');
  return given.map((each) => quote(plainName(show(each)))).join(', ');
}

/** Collects values, and returns their parameters. */
function numbered(): { readonly values: JsonValue[]; readonly add: (value: JsonValue) => string } {
  const values: JsonValue[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}

const CONDITIONS = new Set(['=', '!=', 'LIKE', '>', '<', '>=', '<=', 'IS NULL', 'IS NOT NULL']);

/** Returns the condition of a statement, as SQL. */
function whereOf(parameters: JsonObject, scope: Scope, add: (value: JsonValue) => string): string {
  const clauses = list(object(parameters.where).values).map(object);
  if (clauses.length === 0) return '';
  const combined = parameters.combineConditions === 'OR' ? ' OR ' : ' AND ';
  const texts = clauses.map(({ column, condition = 'equal', value = '' }) => {
    const sign = condition === 'equal' ? '=' : show(condition);
    if (!CONDITIONS.has(sign)) return unsupported(`the condition ${sign}`);
    const name = quote(columnName(column));
    return sign.startsWith('IS') ? `${name} ${sign}` : `${name} ${sign} ${add(convertValue(value, scope))}`;
  });
  return ` WHERE ${texts.join(combined)}`;
}

function columnName(given: JsonValue | undefined): string {
  const name = text(given) ?? unsupported('a column without a name');
  return isExpression(name) ? unsupported('names of columns that are expressions') : name;
}

function select({ parameters }: Conversion): Operation {
  const table = tableOf(parameters);
  const { returnAll = false, limit = 50, sort, options } = parameters;
  const order = list(object(sort).values).map((each) => {
    const { column, direction } = object(each);
    return `${quote(columnName(column))} ${direction === 'DESC' ? 'DESC' : 'ASC'}`;
  });
  const columns = columnsOf(object(options).outputColumns);
  return {
    statement(scope) {
      const { values, add } = numbered();
      const where = whereOf(parameters, scope, add);
      const ordered = order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '';
      const limited = returnAll === true ? '' : ` LIMIT ${add(convertValue(limit, scope))}`;
      return { query: `SELECT ${columns} FROM ${table}${where}${ordered}${limited}`, values };
    },
    isSelect: true,
  };
}

function deleteFrom({ parameters }: Conversion): Operation {
  const table = tableOf(parameters);
  const { deleteCommand = 'truncate', restartSequences = false, options } = parameters;
  const cascade = object(options).cascade === true ? ' CASCADE' : '';
  switch (deleteCommand) {
    case 'drop':
      return {
        statement: () => ({ query: `DROP TABLE IF EXISTS ${table}${cascade}`, values: [] }),
        isSelect: false,
        isOne: true,
      };
    case 'truncate': {
      const query = `TRUNCATE TABLE ${table}${restartSequences === true ? ' RESTART IDENTITY' : ''}${cascade}`;
      return { statement: () => ({ query, values: [] }), isSelect: false, isOne: true };
    }
    case 'delete':
      return {
        statement(scope) {
          const { values, add } = numbered();
          return { query: `DELETE FROM ${table}${whereOf(parameters, scope, add)}`, values };
        },
        isSelect: false,
        isOne: true,
      };
    default:
      return unsupported(`the command ${show(deleteCommand)}`);
  }
}

/** The columns that get values, by name; undefined for those that the item has. */
function mappingOf({ node, parameters }: Conversion): ReadonlyMap<string, JsonValue> | undefined {
  const isOld = node.version < 2.2;
  const columns = object(parameters.columns);
  const mode = isOld ? (parameters.dataMode ?? 'autoMapInputData') : (columns.mappingMode ?? 'defineBelow');
  if (mode === 'autoMapInputData') return undefined;
  if (mode !== 'defineBelow') return unsupported(`columns by ${show(mode)}`);
  if (!isOld) return new Map(Object.entries(object(columns.value)));
  return new Map(
    list(object(parameters.valuesToSend).values).map((each) => {
      const { column, value = '' } = object(each);
      return [columnName(column), value];
    }),
  );
}

function returningOf({ options }: JsonObject): string {
  return ` RETURNING ${columnsOf(object(options).outputColumns)}`;
}

function insert(conversion: Conversion): Operation {
  const { node, parameters, review } = conversion;
  const table = tableOf(parameters);
  const skips = object(parameters.options).skipOnConflict === true;
  const end = `${skips ? ' ON CONFLICT DO NOTHING' : ''}${returningOf(parameters)}`;
  const mapping = mappingOf(conversion);
  review('text for a column of the type json is read as JSON here, in n8n it is a text within JSON');
  if (mapping) {
    if (mapping.size === 0) return unsupported('a row without values');
    return {
      statement(scope) {
        const { values, add } = numbered();
        const names = [...mapping.keys()].map(quote).join(', ');
        const given = [...mapping.values()].map((value) => add(convertValue(value, scope))).join(', ');
        return { query: `INSERT INTO ${table} (${names}) VALUES (${given})${end}`, values };
      },
      isSelect: false,
      isOne: true,
    };
  }
  return {
    statement({ item }) {
      const keys = `Object.keys(${item})`;
      const names = braced(`${keys}.map((name) => '"' + name.replaceAll('"', '""') + '"').join(', ')`);
      const given = braced(`${keys}.map((name, index) => '$' + (index + 1)).join(', ')`);
      if (node.version < 2.6) {
        return { query: `INSERT INTO ${table} (${names}) VALUES (${given})${end}`, values: valuesOfItem(item) };
      }
      const columns = `'(' + ${names.slice(3, -3)} + ') VALUES (' + ${given.slice(3, -3)} + ')${skips ? ' ON CONFLICT DO NOTHING' : ''}'`;
      const rest = braced(`${keys}.length === 0 ? 'DEFAULT VALUES' : ${columns}`);
      return { query: `INSERT INTO ${table} ${rest}${returningOf(parameters)}`, values: valuesOfItem(item) };
    },
    isSelect: false,
    isOne: true,
  };
}

function valuesOfItem(item: string): string {
  return braced(`Object.values(${item})`);
}

/** The columns that choose rows, and the values of all columns. */
function matchingOf(conversion: Conversion): { keys: readonly string[]; mapping: ReadonlyMap<string, JsonValue> } {
  const { node, parameters } = conversion;
  const given = mappingOf(conversion);
  if (!given) return unsupported('columns of the item that update rows (autoMapInputData): name them');
  if (node.version >= 2.2) {
    const keys = list(object(parameters.columns).matchingColumns).map((each) => columnName(each));
    return keys.length === 0 ? unsupported('no column to match on') : { keys, mapping: given };
  }
  const key = columnName(parameters.columnToMatchOn ?? 'id');
  return { keys: [key], mapping: new Map([...given, [key, parameters.valueToMatchOn ?? '']]) };
}

function update(conversion: Conversion): Operation {
  const { node, parameters } = conversion;
  const table = tableOf(parameters);
  const { keys, mapping } = matchingOf(conversion);
  const changed = [...mapping].filter(([name]) => !keys.includes(name));
  if (changed.length === 0) return unsupported('no values to update');
  return {
    statement(scope) {
      const { values, add } = numbered();
      const assign = ([name, value]: readonly [string, JsonValue]): string =>
        `${quote(name)} = ${add(convertValue(value, scope))}`;
      const set = changed.map(assign).join(', ');
      const where = keys.map((name) => assign([name, mapping.get(name) ?? null])).join(' AND ');
      return { query: `UPDATE ${table} SET ${set} WHERE ${where}${returningOf(parameters)}`, values };
    },
    isSelect: false,
    mustMatch: node.version >= 2.2,
  };
}

function upsert(conversion: Conversion): Operation {
  const { parameters, review } = conversion;
  const table = tableOf(parameters);
  const { keys, mapping } = matchingOf(conversion);
  const changed = [...mapping.keys()].filter((name) => !keys.includes(name));
  if (mapping.size < 2) return unsupported('no values to insert or update');
  review('in n8n, it fails if the value of the first column to match on is missing, null, empty, 0 or false');
  return {
    statement(scope) {
      const { values, add } = numbered();
      const names = [...mapping.keys()].map(quote).join(', ');
      const given = [...mapping.values()].map((value) => add(convertValue(value, scope))).join(', ');
      const sets = changed.map((name) => `${quote(name)} = EXCLUDED.${quote(name)}`).join(', ');
      const action = sets === '' ? 'DO NOTHING' : `DO UPDATE SET ${sets}`;
      const conflict = ` ON CONFLICT (${keys.map(quote).join(', ')}) ${action}`;
      return {
        query: `INSERT INTO ${table} (${names}) VALUES (${given})${conflict}${returningOf(parameters)}`,
        values,
      };
    },
    isSelect: false,
  };
}
