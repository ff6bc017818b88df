import fc from 'fast-check';

/** The part of JSON Schema that routes are described with. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

const MAX_LENGTH = 60;
const MAX_ITEMS = 4;

/** Unusual values. */
const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '\0',
    '\ud800',
    '{{',
    '{{ $input }}',
    '__proto__',
    -1,
    1e308,
    [],
    {},
    [[]],
    'a'.repeat(5_000),
  ),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
);

/**
 * Values that fit a schema, most of the time, and values around it.
 * @param ids what ids are chosen from: there may be more from one value to the next.
 */
export function valuesOf(schema: object, ids: () => readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: fitting(schema, ids), weight: 15 }, { arbitrary: ODD, weight: 1 });
}

function fitting(schema: Schema, ids: () => readonly string[]): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((branch) => valuesOf(branch, ids)));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'string':
      return texts(schema, ids);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = MAX_ITEMS } = schema;
      return fc.array(valuesOf(items, ids), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, MAX_ITEMS)),
      });
    }
    case 'object':
      return objects(schema, ids);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function numbers({ type, minimum, exclusiveMinimum, maximum }: Schema): fc.Arbitrary<number> {
  const [min, max] = [minimum ?? exclusiveMinimum ?? -1e6, maximum ?? 1e6];
  const whole = fc.integer({ min: Math.ceil(min), max: Math.floor(Math.min(max, Number.MAX_SAFE_INTEGER)) });
  return type === 'integer' ? whole : fc.oneof(whole, fc.double({ min, max, noNaN: true }));
}

function texts(
  { format, pattern, minLength = 0, maxLength = MAX_LENGTH }: Schema,
  ids: () => readonly string[],
): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.nat().map((n) => ids()[n % Math.max(1, ids().length)] ?? '0'.repeat(8));
  if (format === 'date-time' || format === 'date') {
    const dates = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true });
    return dates.map((date) => (format === 'date' ? date.toISOString().slice(0, 10) : date.toISOString()));
  }
  if (format === 'email') return fc.emailAddress();
  if (pattern !== undefined) {
    // fast-check generates nothing for lookaheads.
    const without = pattern.replaceAll(/\(\?[=!][^)]*\)/g, '');
    const all = new RegExp(pattern);
    return fc
      .stringMatching(new RegExp(without))
      .filter((text) => all.test(text))
      .map((text) => text.slice(0, 300));
  }
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, MAX_LENGTH)), unit: 'grapheme' });
}

function objects(
  { properties = {}, required = [], additionalProperties }: Schema,
  ids: () => readonly string[],
): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, valuesOf(member, ids)]));
  const known = fc.oneof(
    { arbitrary: fc.record(members, { requiredKeys: [...required] }), weight: 15 },
    { arbitrary: fc.record(members, { requiredKeys: [] }), weight: 1 },
  );
  const others = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
  const isOpen = additionalProperties !== false;
  return fc.tuple(known, fc.option(others, { freq: isOpen ? 2 : 20 })).map(([own, more]) => ({ ...more, ...own }));
}
