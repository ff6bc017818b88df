import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@deckhand/contracts';
import { parse } from 'yaml';

/** Maximum length of a document in YAML, in characters. Its parser is some fifty times slower than that of JSON. */
const MAX_YAML_CHARS = 10_000_000;
/** Maximum number of aliases that YAML may expand to. */
const MAX_ALIASES = 1_000;
/** Maximum number of references that are followed in a row. */
const MAX_REFERENCES = 20;

/** A document, or a part of a pack, that cannot be read. Its message is for the person who wrote it. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/**
 * Parses a document in JSON or YAML.
 * @throws DocumentError if it is neither, or not an object.
 */
export function parseDocument(text: string): JsonObject {
  // Also removes the byte order mark, which JSON may not have (RFC 8259, 8.1).
  const trimmed = text.trimStart();
  const document = trimmed.startsWith('{') ? parseAsJson(trimmed) : parseAsYaml(text);
  if (!isJsonObject(document)) throw new DocumentError('is not an object');
  return document;
}

function parseAsJson(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new DocumentError(`is not JSON: ${reasonOf(error)}`, { cause: error });
  }
}

function parseAsYaml(text: string): unknown {
  if (text.length > MAX_YAML_CHARS)
    throw new DocumentError(
      `has more than ${MAX_YAML_CHARS.toLocaleString('en')} characters of YAML; convert it to JSON`,
    );
  try {
    // With the core schema, values are those of JSON. Aliases share their values: nothing is copied for them.
    return parse(text, { maxAliasCount: MAX_ALIASES, merge: true, logLevel: 'error' });
  } catch (error) {
    throw new DocumentError(`is not YAML: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.slice(0, 200);
}

/** Follows references within one document. Nothing outside of it is ever read. */
export interface References {
  /** Returns the object that a value is or refers to; undefined if that is not an object of this document. */
  resolve(value: JsonValue | undefined): JsonObject | undefined;
}

/** Creates the references of a document. Each is looked up once. */
export function createReferences(document: JsonObject): References {
  const known = new Map<string, JsonValue | undefined>();

  function targetOf(reference: string): JsonValue | undefined {
    if (known.has(reference)) return known.get(reference);
    const target = findTarget(document, reference);
    known.set(reference, target);
    return target;
  }

  return {
    resolve(value) {
      let at: JsonValue | undefined = value;
      for (let followed = 0; followed <= MAX_REFERENCES; followed += 1) {
        if (!isJsonObject(at)) return undefined;
        const { $ref } = at;
        if (typeof $ref !== 'string') return at;
        at = targetOf($ref);
      }
      return undefined;
    },
  };
}

/** Follows the JSON pointer of a reference (RFC 6901, 6); undefined for one that leads elsewhere. */
function findTarget(document: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return document;
  if (!reference.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = document;
  for (const token of reference.slice(2).split('/')) {
    const name = unescaped(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (isList(at)) at = at[Number(name)];
    else at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}

/** Returns true for a list. `Array.isArray` alone loses the type of the elements. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function unescaped(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
