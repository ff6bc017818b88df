import pg from 'pg';

const { builtins } = pg.types;

type Parse = (text: string) => unknown;
type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/** Types whose values the driver would turn into something that JSON has no word for, or would lose digits of. */
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [builtins.INT8, (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text)],
  [builtins.FLOAT4, finiteOrText],
  [builtins.FLOAT8, finiteOrText],
  [builtins.NUMERIC, asText],
  [builtins.DATE, asText],
  [builtins.TIMESTAMP, asText],
  [builtins.TIMESTAMPTZ, isoOrText],
  [builtins.INTERVAL, asText],
  [builtins.BYTEA, (text) => Buffer.from(text.replace(/^\\x/, ''), 'hex').toString('base64')],
  [600, asText],
  [718, asText],
]);

/** Types of lists that stay as PostgreSQL writes them, `{…}`: their elements would not be JSON. */
const LISTS_AS_TEXT = new Set([1001, 1017, 1115, 1182, 1185, 1187, 1231]);

/**
 * How values become JSON: whole numbers as numbers while they are exact, exact decimals as text, times with a zone in
 * ISO 8601, other times as PostgreSQL writes them, bytes in base64.
 */
export const jsonTypes = {
  getTypeParser(oid: TypeId): Parse {
    if (LISTS_AS_TEXT.has(oid)) return asText;
    const parse: unknown = PARSERS.get(oid) ?? pg.types.getTypeParser(oid, 'text');
    return isParser(parse) ? parse : asText;
  },
};

function isParser(value: unknown): value is Parse {
  return typeof value === 'function';
}

function asText(text: string): string {
  return text;
}

function finiteOrText(text: string): number | string {
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

function isoOrText(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
