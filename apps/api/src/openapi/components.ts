import * as contracts from '@deckhand/contracts';
import { type ErrorCode, ERRORS, isJsonObject, SINCE } from '@deckhand/contracts';
import type { Operation } from '../http/route.ts';

/** A part of the document. */
export type Part = Record<string, unknown>;

/** A reference to a schema of `components`. */
function refTo(name: string): Part {
  return { $ref: `#/components/schemas/${name}` };
}

const JSON_VALUE = 'JsonValue';

/** Any JSON value, named so that generators have a type for it. */
const JSON_VALUE_SCHEMA: Part = {
  description: 'Any JSON value',
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'null' },
    { type: 'array', items: refTo(JSON_VALUE) },
    { type: 'object', additionalProperties: refTo(JSON_VALUE) },
  ],
};

const REQUEST_ID = '01a1fb35-e8df-7352-8660-75a19a555603';

/** Keywords that restrict no value. */
const ANNOTATIONS = ['description', 'title', 'default', 'examples', SINCE];

/** A schema, and its name in `components`. */
interface Named {
  readonly name: string;
  readonly schema: unknown;
}

/**
 * Collects the schemas of `components`. A schema that contracts exports has its name there, wherever it is used. The
 * response of an operation is named after its entry: `FolderEntry` is `FolderResponse`, and a page of them is
 * `FolderListResponse`.
 */
export class Components {
  readonly #named = new Map<unknown, Named>();
  readonly #used = new Map<string, unknown>();
  readonly #responses = new Map<string, Part>();
  readonly #headers = new Map<string, Part>();
  readonly #codes = new Set<ErrorCode>();

  constructor(operations: readonly Operation[]) {
    for (const [name, schema] of Object.entries(contracts)) {
      const shape = shapeOf(schema);
      if (shape !== undefined) this.#named.set(shape, { name: name.replace(/Schema$/, ''), schema });
    }
    const responses = operations.flatMap((operation) => Object.values(operation.responses).filter(isJsonObject));
    // A page is named after the schema of its items in contracts, so all names are found before one is changed.
    const names = responses.map((schema) => this.#nameOfResponse(schema));
    for (const [at, schema] of responses.entries()) {
      this.#named.set(shapeOf(schema), { name: names[at] ?? '', schema });
    }
  }

  /** Returns a schema with its named parts as references. */
  refer(schema: unknown): unknown {
    if (!isJsonObject(schema)) return schema;
    const annotations = Object.fromEntries(Object.entries(schema).filter(([keyword]) => ANNOTATIONS.includes(keyword)));
    if (Object.keys(annotations).length === Object.keys(schema).length) {
      this.#used.set(JSON_VALUE, JSON_VALUE_SCHEMA);
      return { ...refTo(JSON_VALUE), ...annotations };
    }
    const named = this.#named.get(shapeOf(schema));
    if (named === undefined) return this.#inline(schema);
    if (!this.#used.has(named.name)) {
      // Before its parts: a schema may contain itself.
      this.#used.set(named.name, {});
      this.#used.set(named.name, this.#inline(named.schema));
    }
    return { ...refTo(named.name), ...annotations };
  }

  /** Returns a reference to the example of an error. */
  referExample(code: ErrorCode): Part {
    this.#codes.add(code);
    return { $ref: `#/components/examples/${code}` };
  }

  /** Returns a reference to a shared response. @param create creates it, once. */
  referResponse(name: string, create: () => Part): Part {
    if (!this.#responses.has(name)) this.#responses.set(name, create());
    return { $ref: `#/components/responses/${name}` };
  }

  /** The referenced responses, by name. */
  responses(): Part {
    return Object.fromEntries([...this.#responses].sort(([a], [b]) => a.localeCompare(b)));
  }

  /** Returns a reference to a header of responses. */
  referHeader(name: string, header: Part): Part {
    this.#headers.set(name, header);
    return { $ref: `#/components/headers/${name}` };
  }

  /** The referenced headers, by name. */
  headers(): Part {
    return Object.fromEntries(this.#headers);
  }

  /** The referenced schemas, by name. */
  schemas(): Part {
    return Object.fromEntries([...this.#used].sort(([a], [b]) => a.localeCompare(b)));
  }

  /** The referenced examples, by the code of their error. */
  examples(): Part {
    const value = (code: ErrorCode): Part => ({ error: ERRORS[code].message, code, requestId: REQUEST_ID });
    return Object.fromEntries([...this.#codes].sort().map((code) => [code, { value: value(code) }]));
  }

  #nameOfResponse(schema: unknown): string {
    const own = this.#named.get(shapeOf(schema));
    if (own !== undefined) return `${stemOf(own.name)}Response`;
    const item = this.#named.get(shapeOf(itemOf(schema)));
    if (item === undefined) throw new Error('contracts must export the schema of each response, or of its items');
    return `${stemOf(item.name)}ListResponse`;
  }

  #inline(schema: unknown): unknown {
    if (!isJsonObject(schema)) return schema;
    const { properties, patternProperties, items, anyOf, ...rest }: Part = schema;
    if (Array.isArray(anyOf)) rest.anyOf = anyOf.map((part) => this.refer(part));
    if (items !== undefined) rest.items = this.refer(items);
    if (isJsonObject(properties)) {
      rest.properties = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, this.refer(part)]));
    }
    // Maps allow any key; generators recognise them by this keyword alone.
    if (isJsonObject(patternProperties)) rest.additionalProperties = this.refer(Object.values(patternProperties)[0]);
    return rest;
  }
}

/**
 * Returns the identity of a schema: optional and described copies of it share this part. @returns undefined for a value
 * that is not a schema, or a schema too plain to be named.
 */
function shapeOf(schema: unknown): unknown {
  if (!isJsonObject(schema)) return undefined;
  return schema.properties ?? schema.enum ?? schema.anyOf ?? (schema.type === 'array' ? schema : undefined);
}

/** Returns the schema of the items of a page. */
function itemOf(schema: unknown): unknown {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return undefined;
  const { data } = schema.properties;
  return isJsonObject(data) ? data.items : undefined;
}

function stemOf(name: string): string {
  return name.replace(/(Response|Entry)$/, '').replace(/Page$/, 'List');
}
