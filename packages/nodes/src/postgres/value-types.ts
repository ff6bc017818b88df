import type { JsonValue } from '@deckhand/contracts';
import { parseForeignJson } from '../text/limit.ts';
import { parseArray } from './parse-array.ts';

type Parse = (text: string) => JsonValue;

/** Maximum length of a time, in characters: PostgreSQL never writes a longer one. */
const MAX_TIME = 100;

/** Types that do not become a text, by their OID (pg_type.dat of PostgreSQL). */
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [16, asBoolean], // bool
  [17, (text) => Buffer.from(text.replace(/^\\x/, ''), 'hex').toString('base64')], // bytea
  [20, asInteger], // int8
  [21, asInteger], // int2
  [23, asInteger], // int4
  [26, asInteger], // oid
  [114, asJson], // json
  [700, finiteOrText], // float4
  [701, finiteOrText], // float8
  [1184, isoOrText], // timestamptz
  [3802, asJson], // jsonb
]);

/**
 * Types of arrays that become lists, and how their elements are read. All others stay as PostgreSQL writes them, `{…}`:
 * their elements would not be JSON.
 */
const ELEMENT_PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [199, asJson], // json[]
  [651, asText], // cidr[]
  [791, asText], // money[]
  [1000, asBoolean], // bool[]
  [1005, asInteger], // int2[]
  [1007, asInteger], // int4[]
  [1008, asText], // regproc[]
  [1009, asText], // text[]
  [1014, asText], // char[]
  [1015, asText], // varchar[]
  [1016, asText], // int8[]
  [1021, finiteOrText], // float4[]
  [1022, finiteOrText], // float8[]
  [1028, asInteger], // oid[]
  [1040, asText], // macaddr[]
  [1041, asText], // inet[]
  [1183, asText], // time[]
  [1270, asText], // timetz[]
  [2951, asText], // uuid[]
  [3807, asJson], // jsonb[]
  [3907, asText], // numrange[]
]);

/**
 * Converts values to JSON: whole numbers to numbers while they are exact, exact decimals to text, times with a zone to
 * ISO 8601, other times as PostgreSQL writes them, bytes to base64. All parsers take linear time.
 */
export const jsonTypes = {
  getTypeParser(oid: number): Parse {
    const parseElement = ELEMENT_PARSERS.get(oid);
    if (parseElement) return (text) => parseArray(text, parseElement);
    return PARSERS.get(oid) ?? asText;
  },
};

function asJson(text: string): JsonValue {
  return parseForeignJson(text, 'a value');
}

function asText(text: string): string {
  return text;
}

function asBoolean(text: string): boolean {
  return text === 't';
}

function asInteger(text: string): number | string {
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function finiteOrText(text: string): number | string {
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

function isoOrText(text: string): string {
  if (text.length > MAX_TIME) return text;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
