import fc from 'fast-check';

/** The part of JSON Schema that bodies are described with. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

type Path = readonly (string | number)[];

/** A body that no operation with this schema may take. */
export interface BadBody {
  /** The error in it. */
  readonly issues: readonly string[];
  /** The members at the top that are at fault; none when the whole body is. */
  readonly fields: readonly string[];
  readonly body: string | Buffer<ArrayBuffer> | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** One change that makes a valid body invalid. */
interface Edit {
  readonly issue: string;
  readonly path: Path;
  /** The replacement; undefined removes the member. */
  readonly value: fc.Arbitrary<unknown>;
}

/** Stands for JSON text that no JavaScript value gives. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * Returns bodies with one to three errors, or invalid as a whole. @param schema of the operation. @param examples valid
 * bodies, which together have every member.
 */
export function badBodies(schema: object, examples: readonly object[], isOptional: boolean): fc.Arbitrary<BadBody> {
  const edited = fc.oneof(...examples.map((example) => editedBodies(schema, example)));
  const damaged = fc.oneof(...examples.map((example) => damagedBodies(JSON.stringify(example), isOptional)));
  return fc.oneof({ arbitrary: edited, weight: 3 }, { arbitrary: damaged, weight: 1 });
}

function editedBodies(schema: Schema, example: object): fc.Arbitrary<BadBody> {
  const edits = editsOf(schema, example, []).map(({ issue, path, value }) =>
    value.map((given) => ({ issue, path, value: given })),
  );
  return fc.array(fc.oneof(...edits), { minLength: 1, maxLength: 3 }).map((chosen) => {
    const body: unknown = structuredClone(example);
    const made = chosen.filter((edit) => put(body, edit.path, edit.value));
    return {
      issues: made.map((edit) => `${edit.path.join('.')} ${edit.issue}`),
      fields: made.map((edit) => String(edit.path[0])),
      body: serialise(body),
      headers: JSON_TYPE,
    };
  });
}

/** Every way of invalidating a value and its parts, according to its schema. */
function editsOf(given: Schema, value: unknown, path: Path): Edit[] {
  const schema = given.anyOf?.find((branch) => branch.type !== 'null') ?? given;
  const others = (given.anyOf ?? []).flatMap(({ type }) => (type === undefined ? [] : [type]));
  const edits: Edit[] = path.length === 0 ? [] : valueEdits(schema, value, path, others);
  const at = (issue: string, name: string, spoilt: fc.Arbitrary<unknown>) =>
    edits.push({ issue, path: [...path, name], value: spoilt });
  if (Array.isArray(value)) {
    value.forEach((item, index) => edits.push(...(schema.items ? editsOf(schema.items, item, [...path, index]) : [])));
  } else if (typeof value === 'object' && value !== null) {
    const members = new Map(Object.entries(value));
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const ofMember = members.has(name) ? editsOf(member, members.get(name), [...path, name]) : [];
      // Null for an optional member is as good as its absence.
      const isTaken = ({ issue, path: at }: Edit) => issue === 'is of type null' && at.length === path.length + 1;
      const isOptional = schema.required?.includes(name) !== true;
      edits.push(...ofMember.filter((edit) => !(isOptional && isTaken(edit))));
      if (schema.required?.includes(name)) at('is missing', name, fc.constant(undefined));
    }
    if (schema.additionalProperties === false) {
      for (const name of UNKNOWN_NAMES) at('is unknown', name, fc.jsonValue());
      for (const name of Object.keys(schema.properties ?? {})) at('is misspelt', `${name}s_`, fc.jsonValue());
    }
  }
  return edits;
}

/** Names of members that JavaScript objects have by themselves, and some that nothing has. */
const UNKNOWN_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', '$ne', 'inputs'];

const ODD_NUMBERS = ['NaN', 'Infinity', '-Infinity', '1e309', '0x10', '١٢'];
const ODD_TEXTS = [...ODD_NUMBERS, '', '\ud800', "'; DROP TABLE users; --", '../../etc/passwd', '{{ $vars.x }}', '💥'];

/** One that no list of the contract's has. */
const UNLISTED = ['nothing', 'constructor', '__proto__', ''];

const OF_TYPE: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  string: fc.constantFrom(...ODD_NUMBERS, '5', 'true', 'null', '[]', '{}'),
  number: fc.constantFrom(0, -1, 1.5, 1e300, Number.MAX_SAFE_INTEGER),
  array: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
  object: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
};

/** Every way of invalidating one value. @param others types that it may have as well. */
function valueEdits(schema: Schema, value: unknown, path: Path, others: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  const spoil = (issue: string, ...values: unknown[]) => edits.push({ issue, path, value: fc.constantFrom(...values) });

  spoil(
    'is nested without end',
    new Raw('['.repeat(300) + ']'.repeat(300)),
    new Raw('{"a":'.repeat(1_000) + '1' + '}'.repeat(1_000)),
  );
  // A whole number of so many digits would be taken as text.
  spoil('is beyond all numbers', new Raw('1e400'));
  spoil('holds NUL', '\0', 'x\0y', { '\0': 1 }, ['\0']);

  const type = schema.type ?? (schema.enum ? 'string' : undefined);
  if (type === undefined) return edits;
  for (const [name, given] of Object.entries(OF_TYPE)) {
    const fits = name === type || (name === 'number' && type === 'integer') || others.includes(name);
    if (!fits) edits.push({ issue: `is of type ${name}`, path, value: given });
  }
  if (type !== 'string' && !others.includes('string')) spoil('is beyond all numbers', new Raw(`-${'9'.repeat(400)}`));
  const { maxLength, minLength = 0, maxItems, minimum, exclusiveMinimum, maximum } = schema;
  if (type === 'integer') spoil('is no whole number', 0.5, -1.25);
  if (minimum !== undefined) spoil('is too small', minimum - 1, -1e300);
  if (exclusiveMinimum !== undefined) spoil('is too small', exclusiveMinimum, -1e300);
  if (maximum !== undefined) spoil('is too large', maximum + 1, 1e300);
  if (maxLength !== undefined) spoil('is too long', 'x'.repeat(maxLength + 1));
  if (minLength > 0) spoil('is too short', 'x'.repeat(minLength - 1));
  if (schema.enum) spoil('is none of the list', ...UNLISTED);
  if (schema.format !== undefined) spoil('is odd', ...ODD_TEXTS);
  const { pattern } = schema;
  if (pattern !== undefined) spoil('is odd', ...ODD_TEXTS.filter((text) => !new RegExp(pattern, 'u').test(text)));
  if (maxItems !== undefined)
    spoil(
      'has too many items',
      Array.from({ length: maxItems + 1 }, (_, n) => `n${n}`),
    );
  if (schema.uniqueItems === true && Array.isArray(value)) spoil('says something twice', [...value, ...value]);
  return edits;
}

/** Puts a value into a body, or takes one away. @returns false when there is no such place any more. */
function put(body: unknown, path: Path, value: unknown): boolean {
  let parent: unknown = body;
  for (const step of path.slice(0, -1)) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, step)) return false;
    parent = Reflect.get(parent, step);
  }
  const last = path.at(-1);
  if (typeof parent !== 'object' || parent === null || last === undefined) return false;
  if (value === undefined) return Reflect.deleteProperty(parent, last);
  // Not an assignment: `__proto__` is to be a member like any other.
  return Reflect.defineProperty(parent, last, { value, enumerable: true, writable: true, configurable: true });
}

function serialise(body: unknown): string {
  const raws: string[] = [];
  const text = JSON.stringify(body, (_key, value: unknown) =>
    value instanceof Raw ? `@raw ${raws.push(value.text) - 1}@` : value,
  );
  return text.replace(/"@raw (\d+)@"/g, (_match, index) => raws[Number(index)] ?? '');
}

const OTHER_CHARSETS = [
  'application/json; charset=latin1',
  'application/json;charset="utf-16"',
  'text/plain; charset=iso-8859-1',
];

/** A valid body damaged as a whole: cut off, of another type, no JSON, not said to be JSON. */
function damagedBodies(text: string, isOptional: boolean): fc.Arbitrary<BadBody> {
  const whole = (issue: string, body: BadBody['body'], headers: BadBody['headers'] = JSON_TYPE): BadBody => ({
    issues: [`the body ${issue}`],
    fields: [],
    body,
    headers,
  });
  const notJson = [
    `${text}x`,
    text + text,
    `${text},`,
    `'${text}'`,
    "{'a':1}",
    '{"a":NaN}',
    '{"a":1,}',
    '{a:1}',
    '{',
    '\0',
    `// a\n${text}`,
    `{"a":"\n"}`,
  ];
  return fc.oneof(
    fc.nat().map((at) => whole('is cut off', text.slice(0, 1 + (at % (text.length - 1))))),
    fc.constantFrom(...notJson).map((body) => whole('is no JSON', body)),
    fc
      .constantFrom('null', 'true', '5', '"x"', '[]', `[${text}]`, JSON.stringify(text))
      .map((body) => whole('is no object', body)),
    fc.constantFrom(...OTHER_CHARSETS).map((type) => whole(`is called ${type}`, text, { 'content-type': type })),
    fc.constant(whole('is said to be compressed', text, { ...JSON_TYPE, 'content-encoding': 'gzip' })),
    fc.constant(whole('is not UTF-8', Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0x7d])]))),
    ...(isOptional ? [] : [fc.constantFrom(undefined, '', '{}').map((body) => whole('is empty', body))]),
  );
}
