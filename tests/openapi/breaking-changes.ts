import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';

/** Whether callers send what a schema is about, or get it. */
type Direction = 'request' | 'response';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Keywords by which a schema accepts less the lower, or the higher, they are. */
const MAXIMA = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const MINIMA = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

/**
 * Compares two OpenAPI 3.1 documents by the policy of docs/api-versions.md.
 * @returns a sentence for each change that can break a client, none where there are only additions.
 */
export function findBreakingChanges(before: JsonObject, after: JsonObject): string[] {
  const changes: string[] = [];
  const schemas = new SchemaComparison(before, after);
  for (const [path, item] of entriesOf(before.paths)) {
    const newItem = memberOf(after.paths, path);
    for (const method of METHODS) {
      const operation = memberOf(item, method);
      if (operation === undefined) continue;
      const where = `${method.toUpperCase()} ${path}`;
      const newOperation = memberOf(newItem, method);
      if (newOperation === undefined) changes.push(`${where} is gone`);
      else changes.push(...compareOperations(where, operation, newOperation, schemas));
    }
  }
  return changes;
}

function compareOperations(
  where: string,
  before: JsonValue,
  after: JsonValue,
  schemas: SchemaComparison,
): readonly string[] {
  const changes: string[] = [];
  for (const name of ['operationId', 'x-required-scope']) {
    const [old, now] = [memberOf(before, name), memberOf(after, name)];
    if (old !== now) changes.push(`${where}: ${name} was ${text(old)} and is ${text(now)}`);
  }
  const ways = itemsOf(memberOf(after, 'security')).map(text);
  for (const way of itemsOf(memberOf(before, 'security'))) {
    if (!ways.includes(text(way))) changes.push(`${where} no longer accepts ${text(way)}`);
  }
  changes.push(...compareParameters(where, before, after, schemas));
  changes.push(...compareBodies(where, memberOf(before, 'requestBody'), memberOf(after, 'requestBody'), schemas));
  for (const [status, response] of entriesOf(memberOf(before, 'responses'))) {
    const newResponse = memberOf(memberOf(after, 'responses'), status);
    const at = `${where} ${status}`;
    if (newResponse !== undefined) {
      const [old, now] = [resolve(schemas.before, response), resolve(schemas.after, newResponse)];
      changes.push(...compareResponses(at, old, now, schemas));
    }
    // An error that cannot happen any more hurts nobody.
    else if (Number(status) < 400) changes.push(`${at} is gone`);
  }
  return changes;
}

function compareParameters(
  where: string,
  before: JsonValue,
  after: JsonValue,
  schemas: SchemaComparison,
): readonly string[] {
  const changes: string[] = [];
  const byName = (operation: JsonValue, document: JsonObject): Map<string, JsonValue> =>
    new Map(
      itemsOf(memberOf(operation, 'parameters')).map((given) => {
        const parameter = resolve(document, given);
        return [`${text(memberOf(parameter, 'in'))} parameter ${text(memberOf(parameter, 'name'))}`, parameter];
      }),
    );
  const [old, now] = [byName(before, schemas.before), byName(after, schemas.after)];
  for (const [name, parameter] of old) {
    const newParameter = now.get(name);
    if (newParameter === undefined) {
      changes.push(`${where} no longer accepts the ${name}`);
      continue;
    }
    if (memberOf(newParameter, 'required') === true && memberOf(parameter, 'required') !== true) {
      changes.push(`${where} needs the ${name}`);
    }
    const [schema, newSchema] = [memberOf(parameter, 'schema'), memberOf(newParameter, 'schema')];
    changes.push(...schemas.compare('request', `${where}: ${name}`, schema, newSchema));
  }
  for (const [name, parameter] of now) {
    if (!old.has(name) && memberOf(parameter, 'required') === true) changes.push(`${where} needs the ${name}`);
  }
  return changes;
}

function compareBodies(
  where: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  schemas: SchemaComparison,
): readonly string[] {
  if (before === undefined) return memberOf(after, 'required') === true ? [`${where} needs a body`] : [];
  if (after === undefined) return [`${where} no longer accepts a body`];
  const isNeeded = memberOf(after, 'required') === true && memberOf(before, 'required') !== true;
  return [
    ...(isNeeded ? [`${where} needs a body`] : []),
    ...compareContent('request', `${where}: body`, before, after, schemas),
  ];
}

function compareResponses(
  where: string,
  before: JsonValue,
  after: JsonValue,
  schemas: SchemaComparison,
): readonly string[] {
  const headers = entriesOf(memberOf(before, 'headers')).map(([name]) => name);
  const gone = headers.filter((name) => memberOf(memberOf(after, 'headers'), name) === undefined);
  return [
    ...gone.map((name) => `${where} lacks the header ${name}`),
    ...compareContent('response', where, before, after, schemas),
  ];
}

function compareContent(
  direction: Direction,
  where: string,
  before: JsonValue,
  after: JsonValue,
  schemas: SchemaComparison,
): readonly string[] {
  return entriesOf(memberOf(before, 'content')).flatMap(([type, content]) => {
    const newContent = memberOf(memberOf(after, 'content'), type);
    if (newContent === undefined) return [`${where} is no longer ${type}`];
    return schemas.compare(direction, where, memberOf(content, 'schema'), memberOf(newContent, 'schema'));
  });
}

/** Compares schemas of two documents; what several operations share is reported once. */
class SchemaComparison {
  readonly #compared = new Set<string>();
  readonly before: JsonObject;
  readonly after: JsonObject;

  constructor(before: JsonObject, after: JsonObject, compared: Iterable<string> = []) {
    this.before = before;
    this.after = after;
    this.#compared = new Set(compared);
  }

  /** The changes of a schema that break those who send it, or get it. */
  compare(
    direction: Direction,
    where: string,
    before: JsonValue | undefined,
    after: JsonValue | undefined,
  ): readonly string[] {
    const [oldRef, newRef] = [memberOf(before, '$ref'), memberOf(after, '$ref')];
    let at = where;
    if (typeof oldRef === 'string' && typeof newRef === 'string') {
      const pair = `${direction} ${oldRef} ${newRef}`;
      if (this.#compared.has(pair)) return [];
      this.#compared.add(pair);
      at = oldRef.split('/').at(-1) ?? where;
    }
    const [old, now] = [resolve(this.before, before), resolve(this.after, after)];
    if (isUnion(old) || isUnion(now)) return this.#compareUnions(direction, at, variantsOf(old), variantsOf(now));
    return [
      ...compareTypes(direction, at, old, now),
      ...compareValues(direction, at, old, now),
      ...compareLimits(direction, at, old, now),
      ...this.#compareMembers(direction, at, old, now),
      ...this.#compareParts(direction, at, old, now),
    ];
  }

  /** Each variant that a client sends must be accepted as one, and each that it gets must be one that it knows. */
  #compareUnions(
    direction: Direction,
    where: string,
    before: readonly JsonValue[],
    after: readonly JsonValue[],
  ): readonly string[] {
    const isSame = (old: JsonValue, now: JsonValue): boolean =>
      new SchemaComparison(this.before, this.after, this.#compared).compare(direction, where, old, now).length === 0;
    if (direction === 'request') {
      const refused = before.filter((old) => !after.some((now) => isSame(old, now)));
      return refused.map((old) => `${where} no longer accepts ${text(old)}`);
    }
    const unknown = after.filter((now) => !before.some((old) => isSame(old, now)));
    return unknown.map((now) => `${where} can be ${text(now)}`);
  }

  #compareMembers(direction: Direction, where: string, before: JsonValue, after: JsonValue): readonly string[] {
    const changes: string[] = [];
    const [old, now] = [memberOf(before, 'properties'), memberOf(after, 'properties')];
    const [wasRequired, isRequired] = [itemsOf(memberOf(before, 'required')), itemsOf(memberOf(after, 'required'))];
    for (const [name, schema] of entriesOf(old)) {
      const newSchema = memberOf(now, name);
      const member = `${where}.${name}`;
      if (newSchema !== undefined) changes.push(...this.compare(direction, member, schema, newSchema));
      else if (direction === 'response') changes.push(`${member} is gone`);
      else if (memberOf(after, 'additionalProperties') === false) changes.push(`${member} is no longer accepted`);
      const canLack = direction === 'response' && newSchema !== undefined;
      if (canLack && wasRequired.includes(name) && !isRequired.includes(name)) changes.push(`${member} can be missing`);
    }
    if (direction === 'request') {
      const needed = isRequired.filter((name) => !wasRequired.includes(name));
      changes.push(...needed.map((name) => `${where}.${text(name)} is required`));
    }
    return changes;
  }

  /** The schemas of items, and of further members. */
  #compareParts(direction: Direction, where: string, before: JsonValue, after: JsonValue): readonly string[] {
    const [items, newItems] = [memberOf(before, 'items'), memberOf(after, 'items')];
    const [others, newOthers] = [memberOf(before, 'additionalProperties'), memberOf(after, 'additionalProperties')];
    const isClosed = direction === 'request' && others !== false && newOthers === false;
    return [
      ...(items && newItems ? this.compare(direction, `${where}[]`, items, newItems) : []),
      ...(isJsonObject(others) && isJsonObject(newOthers)
        ? this.compare(direction, `${where}.*`, others, newOthers)
        : []),
      ...(isClosed ? [`${where} no longer accepts further members`] : []),
    ];
  }
}

function compareTypes(direction: Direction, where: string, before: JsonValue, after: JsonValue): readonly string[] {
  const [old, now] = [typesOf(before), typesOf(after)];
  const [given, taken] = direction === 'request' ? [old, now] : [now, old];
  const isCovered = (type: string): boolean =>
    taken.includes(type) || taken.includes('any') || (type === 'integer' && taken.includes('number'));
  if (given.every(isCovered)) return [];
  return [`${where} was of the type ${old.join(' | ')} and is of ${now.join(' | ')}`];
}

/** Lists of values: those of requests must not shrink; in responses, clients take values that they do not know. */
function compareValues(direction: Direction, where: string, before: JsonValue, after: JsonValue): readonly string[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  if (direction === 'response') return old && !now ? [`${where} is no longer one of a list`] : [];
  if (!now) return [];
  if (!old) return [`${where} must be one of a list`];
  const refused = old.filter((value) => !now.includes(value));
  return refused.map((value) => `${where} no longer accepts ${value}`);
}

function compareLimits(direction: Direction, where: string, before: JsonValue, after: JsonValue): readonly string[] {
  const changed = (keyword: string): boolean => text(memberOf(before, keyword)) !== text(memberOf(after, keyword));
  const say = (keyword: string): string => `${where}: ${keyword} is ${text(memberOf(after, keyword))}`;
  if (direction === 'response') return changed('format') ? [say('format')] : [];
  const isNarrower = (keyword: string, sign: number): boolean => {
    const [old, now] = [memberOf(before, keyword), memberOf(after, keyword)];
    return typeof now === 'number' && (typeof old !== 'number' || sign * now < sign * old);
  };
  return [
    ...['format', 'pattern', 'uniqueItems'].filter(
      (keyword) => memberOf(after, keyword) !== undefined && memberOf(after, keyword) !== false && changed(keyword),
    ),
    ...MAXIMA.filter((keyword) => isNarrower(keyword, 1)),
    ...MINIMA.filter((keyword) => isNarrower(keyword, -1)),
    // What is left out means something else.
    ...(changed('default') ? ['default'] : []),
  ].map(say);
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function entriesOf(value: JsonValue | undefined): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function text(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a reference leads to; anything else is itself. */
function resolve(document: JsonObject, value: JsonValue | undefined): JsonValue {
  const ref = memberOf(value, '$ref');
  if (typeof ref !== 'string') return value ?? {};
  const target = ref
    .split('/')
    .slice(1)
    .reduce<JsonValue | undefined>((part, name) => memberOf(part, name), document);
  return resolve(document, target);
}

function isUnion(schema: JsonValue): boolean {
  return memberOf(schema, 'anyOf') !== undefined;
}

function variantsOf(schema: JsonValue): readonly JsonValue[] {
  return isUnion(schema) ? itemsOf(memberOf(schema, 'anyOf')) : [schema];
}

function typesOf(schema: JsonValue): readonly string[] {
  const type = memberOf(schema, 'type');
  if (type !== undefined) return [type].flat().map(text);
  const values = itemsOf(memberOf(schema, 'enum'));
  if (values.length > 0) return [...new Set(values.map((value) => typeof value))];
  return ['any'];
}

/** The values that a schema lists, as texts; undefined without a list. */
function valuesOf(schema: JsonValue): readonly string[] | undefined {
  const [only, list] = [memberOf(schema, 'const'), memberOf(schema, 'enum')];
  if (only !== undefined) return [text(only)];
  return list === undefined ? undefined : itemsOf(list).map(text);
}
