import { isJsonObject } from './json.ts';

/** Returns a value without members that are null; the same value if there are none. */
export type RemoveNulls = (value: unknown) => unknown;

/**
 * Compiles a JSON Schema into a function that removes members which are null where the schema has them as optional and
 * does not take null. Typed clients write null for what they leave out. Null stays where it has a meaning of its own,
 * in lists, and in maps, whose members are data.
 * @returns undefined if no value of the schema can have such a member.
 */
export function compileNullRemoval(schema: object): RemoveNulls | undefined {
  const removals = [ofMembers(schema), ofItems(schema), ...branchesOf(schema).map(compileNullRemoval)];
  const known = removals.filter((removal) => removal !== undefined);
  if (known.length === 0) return undefined;
  return (value) => known.reduce((rest, remove) => remove(rest), value);
}

function ofMembers(schema: object): RemoveNulls | undefined {
  const { properties, patternProperties, additionalProperties, required } = partsOf(schema);
  const names = new Set(Array.isArray(required) ? required : []);
  const members = new Map<string, { readonly isDropped: boolean; readonly inside: RemoveNulls | undefined }>();
  for (const [name, member] of Object.entries(properties ?? {})) {
    if (!isSchema(member)) continue;
    const isDropped = !names.has(name) && !acceptsNull(member);
    const inside = compileNullRemoval(member);
    if (isDropped || inside) members.set(name, { isDropped, inside });
  }
  const others = [...Object.values(patternProperties ?? {}), additionalProperties].filter(isSchema);
  const inOthers = others.map(compileNullRemoval).find((removal) => removal !== undefined);
  if (members.size === 0 && !inOthers) return undefined;
  return (value) => {
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value);
    const kept = entries.flatMap(([name, member]): [string, unknown][] => {
      const known = members.get(name);
      if (known?.isDropped === true && member === null) return [];
      const remove = known ? known.inside : Object.hasOwn(properties ?? {}, name) ? undefined : inOthers;
      return [[name, remove ? remove(member) : member]];
    });
    const isSame = kept.length === entries.length && kept.every(([, member], index) => member === entries[index]?.[1]);
    return isSame ? value : Object.fromEntries(kept);
  };
}

function ofItems(schema: object): RemoveNulls | undefined {
  const { items } = partsOf(schema);
  const remove = isSchema(items) ? compileNullRemoval(items) : undefined;
  if (!remove) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    const list: readonly unknown[] = value;
    const kept: readonly unknown[] = list.map(remove);
    return kept.every((item, index) => item === list[index]) ? value : kept;
  };
}

/** Whether a schema takes null. */
function acceptsNull(schema: object): boolean {
  const { type, const: only, enum: values, anyOf, oneOf, allOf } = partsOf(schema);
  if (only !== undefined) return only === null;
  if (Array.isArray(values)) return values.includes(null);
  if (Array.isArray(type)) return type.includes('null');
  if (type !== undefined) return type === 'null';
  const some = anyOf ?? oneOf;
  if (Array.isArray(some)) return some.filter(isSchema).some(acceptsNull);
  return !Array.isArray(allOf) || allOf.filter(isSchema).every(acceptsNull);
}

function branchesOf(schema: object): object[] {
  const { anyOf, oneOf, allOf } = partsOf(schema);
  return [anyOf, oneOf, allOf].flatMap((branches) => (Array.isArray(branches) ? branches.filter(isSchema) : []));
}

/** The parts of a schema that say which members its values have. */
interface SchemaParts {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly patternProperties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
  readonly required?: unknown;
  readonly items?: unknown;
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly allOf?: unknown;
}

function partsOf(schema: object): SchemaParts {
  return schema;
}

function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
