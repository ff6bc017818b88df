import type { JsonValue } from '@deckhand/contracts';
import { parseForeignJson } from '../text/limit.ts';
import { parseArray } from './parse-array.ts';

type Parse = (text: string) => JsonValue;

const FIRST_YEAR = Date.parse('0001-01-01T00:00:00Z');
const END_YEAR = Date.UTC(10_000, 0);
/** A `timestamptz` in PostgreSQL's ISO style; the offset has seconds where a zone had no standard time yet. */
const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/** The type of bytes. */
export const BYTEA = 17;

/** Types that do not become a text, by their OID (pg_type.dat of PostgreSQL). */
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [16, asBoolean], // bool
  [BYTEA, asBase64],
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

/** Arrays of these types, with the type of their elements. */
const ARRAYS_OF_PARSED: ReadonlyMap<number, number> = new Map([
  [199, 114], // json[]
  [1000, 16], // bool[]
  [1001, BYTEA], // bytea[]
  [1005, 21], // int2[]
  [1007, 23], // int4[]
  [1016, 20], // int8[]
  [1021, 700], // float4[]
  [1022, 701], // float8[]
  [1028, 26], // oid[]
  [1185, 1184], // timestamptz[]
  [3807, 3802], // jsonb[]
]);

/** Arrays whose elements stay texts: all others of PostgreSQL itself. */
const ARRAYS_OF_TEXTS: ReadonlySet<number> = new Set([
  143, 271, 629, 651, 719, 775, 791, 1002, 1003, 1006, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1017, 1018, 1019,
  1020, 1027, 1034, 1040, 1041, 1115, 1182, 1183, 1187, 1231, 1263, 1270, 1561, 1563, 2201, 2207, 2208, 2209, 2210,
  2211, 2287, 2949, 2951, 3221, 3643, 3644, 3645, 3735, 3770, 3905, 3907, 3909, 3911, 3913, 3927, 4073, 4090, 4097,
  4192, 5039, 6150, 6151, 6152, 6153, 6155, 6157,
]);

/** box[]: the only type of PostgreSQL itself whose arrays have another separator than a comma. */
const BOXES = 1020;
/** Types from here on are the database's own: created after PostgreSQL's bootstrap (FirstGenbkiObjectId). */
const FIRST_OWN_TYPE = 10_000;
/** The text in which an array begins: its braces, or its bounds. */
const ARRAY_START = /^[{[]/;

/** An array type: its elements, and what separates them. */
export interface ArrayType {
  /** The OID of the type of the elements. */
  readonly element: number;
  readonly separator: string;
}

/** Returns true for types that only the catalogue of their database knows. */
export function isOwnType(oid: number): boolean {
  return oid >= FIRST_OWN_TYPE;
}

/** Returns true if a value of an own type may be an array. */
export function looksLikeArray(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && ARRAY_START.test(value);
}

/** Returns an array type of PostgreSQL itself; undefined for other types. */
export function builtInArray(oid: number): ArrayType | undefined {
  // Elements that stay texts need no type.
  const element = ARRAYS_OF_PARSED.get(oid) ?? (ARRAYS_OF_TEXTS.has(oid) ? 0 : undefined);
  return element === undefined ? undefined : { element, separator: oid === BOXES ? ';' : ',' };
}

/** Returns true for `json` and `jsonb`. */
export function isJsonType(oid: number): boolean {
  return PARSERS.get(oid) === asJson;
}

/** Returns the list that an array of PostgreSQL becomes. */
export function listOf(text: string, { element, separator }: ArrayType): JsonValue[] {
  return parseArray(text, PARSERS.get(element) ?? asText, separator);
}

/**
 * Converts values to JSON: whole numbers to numbers while they are exact, exact decimals to text, times with a zone to
 * ISO 8601, other times as PostgreSQL writes them, bytes to base64, arrays to lists of the same. Values of types that
 * the database has itself stay texts. All parsers take linear time.
 */
export const jsonTypes = {
  getTypeParser(oid: number): Parse {
    const array = builtInArray(oid);
    return array ? (text) => listOf(text, array) : (PARSERS.get(oid) ?? asText);
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

/** The server writes bytes in hexadecimal, or as characters with octal escapes: its setting `bytea_output`. */
function asBase64(text: string): string {
  const bytes = text.startsWith('\\x')
    ? Buffer.from(text.slice(2), 'hex')
    : Buffer.from(
        text.replaceAll(/\\(\\|[0-3][0-7]{2})/g, (_escape, of: string) =>
          of === '\\' ? of : String.fromCharCode(Number.parseInt(of, 8)),
        ),
        'latin1',
      );
  return bytes.toString('base64');
}

/** With all digits of the fraction, at least three: a later query that compares with it must not find it again. */
function isoOrText(text: string): string {
  const found = TIME.exec(text);
  if (!found) return text;
  const [, date = '', clock = '', fraction = '', sign = '', hours = '', minutes = '0', seconds = '0'] = found;
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  const time = new Date(Date.parse(`${date}T${clock}Z`) + (sign === '-' ? offsetMs : -offsetMs));
  // Years before 1 and after 9999 have other forms in ISO 8601.
  if (!(time.getTime() >= FIRST_YEAR && time.getTime() < END_YEAR)) return text;
  const digits = fraction.padEnd(fraction.length > 3 ? 6 : 3, '0');
  return `${time.toISOString().slice(0, -'000Z'.length)}${digits}Z`;
}
