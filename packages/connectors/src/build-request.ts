import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { isList } from './document.ts';
import type { Body, Encoding, Operation, Parameter } from './operation.ts';
import { BASE_URL, isForm, isJson } from './read-operation.ts';
import { encodeWithReserved, type Pair, percentEncode, scalarText, toPairs, writeValue } from './serialize.ts';

/** Values of an operation that fit its schema, and of which no request can be made. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** Where the value is: `path.owner`. */
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

/** A request as the sender of the `http` node takes it. */
export interface ConnectorRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A text is sent as it is; an object is a form with the content type of one, and JSON otherwise. */
  readonly body: JsonValue | undefined;
}

/** Default encoding of members of forms: a pair for each item of a list, and JSON for objects. */
const FORM: Encoding = { style: 'form', explode: true };

/**
 * Builds the request of an operation.
 * @param values by place, and `body`; they fit the operation's schema.
 * @throws RequestError for values that would change which server or path is requested.
 */
export function buildRequest(operation: Operation, values: JsonObject): ConnectorRequest {
  const groupOf = (place: string): JsonObject => {
    const group = values[place];
    return isJsonObject(group) ? group : {};
  };
  const present = (place: Parameter['in']): (readonly [Parameter, JsonValue])[] =>
    operation.parameters.flatMap((parameter) => {
      const value = memberOf(groupOf(place), parameter.name);
      return parameter.in !== place || value === undefined || value === null ? [] : [[parameter, value] as const];
    });
  const query = present('query').flatMap(([parameter, value]) => queryPairs(parameter, value));
  const cookies = present('cookie').flatMap(([parameter, value]) => queryPairs(parameter, value));
  const headers = present('header').map(([{ name, encoding }, value]): Pair => [
    name,
    encoding === 'json' ? JSON.stringify(value) : writeValue(name, value, encoding, (text) => text),
  ]);
  const server = serverUrl(operation, groupOf('server'));
  const path = pathText(operation, present('path'));
  const { body } = values;
  const facts = body === undefined || body === null ? undefined : operation.body;
  return {
    method: operation.method,
    url: `${server}${path}${query.length > 0 ? `${path.includes('?') ? '&' : '?'}${joined(query)}` : ''}`,
    headers: Object.fromEntries<string>([
      ...headers,
      ...(cookies.length > 0 ? [['cookie', cookies.map((pair) => pair.join('=')).join('; ')] as const] : []),
      ...(facts ? [['content-type', facts.contentType] as const] : []),
    ]),
    body: facts && body !== undefined ? writeBody(facts, body) : undefined,
  };
}

function queryPairs({ name, encoding }: Parameter, value: JsonValue): readonly Pair[] {
  if (encoding === 'json') return [[percentEncode(name), percentEncode(JSON.stringify(value))]];
  return toPairs(name, value, encoding, encoding.allowReserved === true ? encodeWithReserved : percentEncode);
}

function joined(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

const NAME_IN_BRACES = /\{([^{}]+)\}/g;
/** What a parameter of a server may have: no slash, so that it stays a part of the host, or a step of the path. */
const SERVER_VALUE = /^[\w.:~-]+$/;
/** A path in a variable of a server that has one by default. */
const SERVER_PATH = /^[\w.~/-]+$/;

/** @throws RequestError for a value that would lead to another host. */
function serverUrl({ server, schema }: Operation, values: JsonObject): string {
  const url = server.replace(NAME_IN_BRACES, (_braces, name: string, at: number) => {
    const standard = defaultOf(schema, name);
    const value = scalarText(memberOf(values, name) ?? standard ?? null);
    if (at === 0 && name === BASE_URL) return value.replace(/\/$/, '');
    const before = server.slice(0, at);
    const isPathByDefault = typeof standard === 'string' && standard.includes('/');
    const isPath = isRightAfterHost(before, standard) || (isPathByDefault && IN_PATH.test(before));
    if (isRightAfterHost(before, standard) && !value.startsWith('/'))
      throw new RequestError(`server.${name}`, 'must start with /');
    if (!(isPath ? SERVER_PATH : SERVER_VALUE).test(value) || hasDots(value))
      throw new RequestError(`server.${name}`, 'may only have letters, digits, and . _ - : ~');
    return value;
  });
  // A query or fragment would swallow the path.
  if (!URL.canParse(url) || !/^https?:[^?#]+$/i.test(url))
    throw new RequestError('server', 'is not an http or https address without a query');
  return url;
}

/** What is before a variable in the path of a server. */
const IN_PATH = /^(\{baseUrl\}|https?:\/\/[^/]+)\//i;

/** Whether a variable is a path with the slash that ends the host: `https://api.example.com{basePath}`. */
function isRightAfterHost(before: string, standard: JsonValue | undefined): boolean {
  if (before === `{${BASE_URL}}`) return true;
  return /^https?:\/\/[^/]+$/i.test(before) && typeof standard === 'string' && standard.startsWith('/');
}

function defaultOf(schema: JsonObject, name: string): JsonValue | undefined {
  const { properties } = schema;
  const group = isJsonObject(properties) ? properties.server : undefined;
  const members = isJsonObject(group) ? group.properties : undefined;
  const member = isJsonObject(members) ? memberOf(members, name) : undefined;
  return isJsonObject(member) ? member.default : undefined;
}

/** @throws RequestError for a value that would lead to another path. */
function pathText(operation: Operation, present: readonly (readonly [Parameter, JsonValue])[]): string {
  // Documents tell operations of one path apart by a fragment (`/#Action=List`), which would swallow the query.
  const [path = ''] = operation.path.split('#');
  const texts = new Map(
    present.map(([{ name, encoding }, value]) => [
      name,
      encoding === 'json' ? percentEncode(JSON.stringify(value)) : writeValue(name, value, encoding, percentEncode),
    ]),
  );
  const steps = path.split('/').map((step) => {
    const names = Array.from(step.matchAll(NAME_IN_BRACES), ([, name = '']) => name);
    const missing = names.find((name) => (texts.get(name) ?? '') === '');
    if (missing !== undefined) throw new RequestError(`path.${missing}`, 'must not be empty');
    const written = step.replace(NAME_IN_BRACES, (_braces, name: string) => texts.get(name) ?? '');
    // A URL leaves out such a step and the one before it, also if the dots are encoded (WHATWG URL, 4.4).
    if (names.length > 0 && hasDots(written)) throw new RequestError(`path.${names[0]}`, 'must not be . or ..');
    return written;
  });
  return steps.join('/');
}

function hasDots(text: string): boolean {
  return text.split('/').some((step) => /^(\.|%2e){1,2}$/i.test(step));
}

function writeBody({ contentType, encodings = {} }: Body, value: JsonValue): JsonValue {
  // The sender takes a text as it is.
  if (isJson(contentType)) return typeof value === 'string' ? JSON.stringify(value) : value;
  if (!isForm(contentType) || !isJsonObject(value)) return value;
  const isEncoded = /^application\//i.test(contentType);
  const fields = Object.entries(value).filter(([, member]) => member !== null);
  if (isEncoded) {
    return joined(
      fields.flatMap(([name, member]) =>
        toPairs(
          name,
          memberOf(encodings, name) ? member : inForm(member),
          memberOf(encodings, name) ?? FORM,
          formEncode,
        ),
      ),
    );
  }
  const parts = fields.flatMap(([name, member]): (readonly [string, JsonValue])[] => {
    const encoding = memberOf(encodings, name);
    return encoding ? toPairs(name, member, encoding, (text) => text) : [[name, member]];
  });
  const byName = Map.groupBy(parts, ([name]) => name);
  return Object.fromEntries(
    Array.from(byName, ([name, ofName]) => {
      const values = ofName.map(([, part]) => part);
      return [name, values.length === 1 ? (values[0] ?? null) : values.flat()];
    }),
  );
}

/** An object is JSON in a form without an encoding for it; so is one in a list. */
function inForm(value: JsonValue): JsonValue {
  if (isList(value)) return value.map((item) => scalarText(item));
  return isJsonObject(value) ? JSON.stringify(value) : value;
}

/** Percent-encodes for a form, in which a space is a plus sign (WHATWG URL, 5.2). */
function formEncode(text: string): string {
  return percentEncode(text).replaceAll('%20', '+');
}

function memberOf<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
