import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { createSchemaConverter, cut } from './convert-schema.ts';
import { isList, type References } from './document.ts';
import type { Body, Encoding, Operation, Parameter, Place, Style } from './operation.ts';

/** Maximum number of objects in the schema of a request, below what a schema of an untrusted author may have. */
const MAX_REQUEST_PARTS = 400;
const MAX_RESPONSE_PARTS = 150;
const MAX_PARAMETERS = 150;
const MAX_SERVER_VARIABLES = 10;
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 500;
/** Headers that a document describes elsewhere (OpenAPI 3.1.1, 4.8.12.2), or that belong to the connection. */
const OTHER_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization', 'host', 'cookie']);
const PLACES = ['server', 'path', 'query', 'header', 'cookie'] as const;
/** The parameter of the server of a document that names none, or one relative to its own address. */
export const BASE_URL = 'baseUrl';
const NAME_IN_BRACES = /\{([^{}]+)\}/g;

/** An operation of a document, and the path that it is in, whose parameters it shares. */
export interface FoundOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly shared: JsonObject;
}

/** A member of the values of a request, and its schema. */
interface Member {
  readonly place: Place;
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: JsonValue | undefined;
}

/** Reads an operation of OpenAPI 3. */
export function readOperation(
  document: JsonObject,
  id: string,
  { method, path, operation, shared }: FoundOperation,
  references: References,
): Operation {
  const converter = createSchemaConverter(references, MAX_REQUEST_PARTS);
  const all = readParameters(path, [shared.parameters, operation.parameters], references);
  const parameters = all.slice(0, MAX_PARAMETERS);
  const server = readServer([operation.servers, shared.servers, document.servers]);
  const body = readBody(operation.requestBody, references);
  const members = [...server.members, ...parameters.map(({ member }) => member)].map((member) => ({
    ...member,
    converted: converter.convert(member.schema, { omitted: 'readOnly', hasFiles: false }),
  }));
  const ofBody =
    body && converter.convert(body.schema, { omitted: 'readOnly', hasFiles: !isJson(body.facts.contentType) });
  converter.finish();
  const groups = PLACES.flatMap((place): [string, JsonObject][] => {
    const inPlace = members.filter((member) => member.place === place);
    return inPlace.length === 0 ? [] : [[place, toGroup(inPlace)]];
  });
  const isNeeded = ([, group]: [string, JsonObject]) => group.required !== undefined;
  const required = [...groups.filter(isNeeded).map(([place]) => place), ...(body?.isRequired ? ['body'] : [])];
  const response = readResponse(operation.responses, references);
  return {
    id,
    title: titleOf(operation, id),
    description: cut(textOf(operation.description), MAX_DESCRIPTION),
    tags: (isList(operation.tags) ? operation.tags : []).filter((tag) => typeof tag === 'string').slice(0, 10),
    isDeprecated: operation.deprecated === true,
    method,
    server: server.url,
    path,
    parameters: parameters.map(({ facts }) => facts),
    ...(body && { body: body.facts }),
    schema: {
      type: 'object',
      properties: { ...Object.fromEntries(groups), ...(ofBody && { body: ofBody }) },
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    ...(response && { response }),
    security: readSecurity(operation.security ?? document.security),
    isCut: converter.isCut() || parameters.length < all.length,
  };
}

function toGroup(members: readonly (Member & { readonly converted: JsonObject })[]): JsonObject {
  const required = members.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map(({ name, description, converted }) => [
        name,
        { ...converted, ...(description !== '' && { description: cut(description, MAX_DESCRIPTION) }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Returns the title of an operation. */
export function titleOf({ summary }: JsonObject, id: string): string {
  return cut(textOf(summary) || id, MAX_TITLE);
}

/**
 * Reads parameters of a path and of its operation, which replace those of the same name and place. Those in the path,
 * without which no request can be made, are first.
 */
function readParameters(
  path: string,
  lists: readonly (JsonValue | undefined)[],
  references: References,
): { readonly facts: Parameter; readonly member: Member }[] {
  const inPath = new Set(Array.from(path.matchAll(NAME_IN_BRACES), ([, name = '']) => name));
  const found = new Map<string, { facts: Parameter; member: Member }>();
  for (const parameter of lists.flatMap((list) => (isList(list) ? list : []))) {
    const read = readParameter(references.resolve(parameter) ?? {});
    if (!read) continue;
    const { in: place, name } = read.facts;
    if (place === 'header' && OTHER_HEADERS.has(name.toLowerCase())) continue;
    if (place === 'path' && !inPath.has(name)) continue;
    found.set(`${place} ${name}`, read);
  }
  for (const name of inPath) {
    const key = `path ${name}`;
    const read = found.get(key) ?? readParameter({ in: 'path', name, schema: { type: 'string' } });
    if (read) found.set(key, { ...read, member: { ...read.member, isRequired: true } });
  }
  return [...found.values()].toSorted((a, b) => Number(b.facts.in === 'path') - Number(a.facts.in === 'path'));
}

function readParameter(parameter: JsonObject): { facts: Parameter; member: Member } | undefined {
  const { name, in: place, content, schema, description, required } = parameter;
  if (typeof name !== 'string' || name === '') return undefined;
  if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie') return undefined;
  const [media] = isJsonObject(content) ? Object.entries(content) : [];
  const ofMedia = media && isJsonObject(media[1]) ? media[1].schema : undefined;
  return {
    facts: { name, in: place, encoding: media && isJson(media[0]) ? 'json' : readEncoding(parameter, place) },
    member: { place, name, isRequired: required === true, description: textOf(description), schema: ofMedia ?? schema },
  };
}

const DEFAULT_STYLES = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;

const STYLES: Readonly<Record<Parameter['in'], readonly Style[]>> = {
  path: ['simple', 'label', 'matrix', 'spaceDelimited', 'pipeDelimited', 'tabDelimited'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'tabDelimited', 'deepObject'],
  header: ['simple', 'spaceDelimited', 'pipeDelimited', 'tabDelimited'],
  cookie: ['form'],
};

/** Reads style and explode, with the defaults of the place; a style that the place may not have is its default. */
function readEncoding({ style, explode, allowReserved }: JsonObject, place: Parameter['in']): Encoding {
  const known = STYLES[place].find((each) => each === style) ?? DEFAULT_STYLES[place];
  return {
    style: known,
    explode: typeof explode === 'boolean' ? explode : known === 'form',
    ...(allowReserved === true && place === 'query' && { allowReserved }),
  };
}

/** Media types of bodies, the one that is easiest to write first. */
const BODY_TYPES: readonly RegExp[] = [
  /^application\/json\b/i,
  /[/+]json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^text\//i,
  /^[^*]+$/,
];

function readBody(
  requestBody: JsonValue | undefined,
  references: References,
): { facts: Body; isRequired: boolean; schema: JsonValue | undefined } | undefined {
  const { content, required } = references.resolve(requestBody) ?? {};
  const types = isJsonObject(content) ? Object.entries(content) : [];
  const [first] = types;
  if (!first) return undefined;
  const chosen = BODY_TYPES.map((pattern) => types.find(([type]) => pattern.test(type))).find(Boolean) ?? first;
  const media = isJsonObject(chosen[1]) ? chosen[1] : {};
  const contentType = chosen[0].includes('*') ? 'application/octet-stream' : chosen[0];
  const encodings = isForm(contentType) && isJsonObject(media.encoding) ? readEncodings(media.encoding) : {};
  return {
    facts: { contentType, ...(Object.keys(encodings).length > 0 && { encodings }) },
    isRequired: required === true,
    schema: schemaOfBody(contentType, media.schema),
  };
}

/** What is neither JSON nor a form is written by the caller, as a text or a file. */
function schemaOfBody(contentType: string, schema: JsonValue | undefined): JsonValue | undefined {
  if (isJson(contentType) || isForm(contentType)) return schema;
  return /^text\//i.test(contentType) ? { type: 'string' } : { type: 'string', format: 'binary' };
}

/** Reads the encodings that name a style; of the others, the defaults of forms apply (OpenAPI 3.1.1, 4.8.15.1.2). */
function readEncodings(encodings: JsonObject): Record<string, Encoding> {
  return Object.fromEntries(
    Object.entries(encodings).flatMap(([name, encoding]) => {
      if (!isJsonObject(encoding)) return [];
      const { style, explode, allowReserved } = encoding;
      const isStyled = style !== undefined || explode !== undefined || allowReserved !== undefined;
      return isStyled ? [[name, readEncoding(encoding, 'query')] as const] : [];
    }),
  );
}

/** Returns the URL of the first server, and the parameters that it has. */
function readServer(lists: readonly (JsonValue | undefined)[]): { url: string; members: Member[] } {
  const [first] = lists.map((list) => (isList(list) ? list.find(isJsonObject) : undefined)).filter(Boolean);
  const { url = '', variables }: JsonObject = first ?? {};
  const given = typeof url === 'string' ? url.replace(/\/$/, '') : '';
  const known = isJsonObject(variables) ? variables : {};
  const names = [...new Set(Array.from(given.matchAll(NAME_IN_BRACES), ([, name = '']) => name))];
  const isAbsolute = /^(https?:\/\/|\{)/i.test(given) && names.length <= MAX_SERVER_VARIABLES;
  if (!isAbsolute) {
    const schema = { type: 'string', format: 'uri', title: 'Address of the service' };
    const path = given.startsWith('/') && names.length === 0 ? given : '';
    return {
      url: `{${BASE_URL}}${path}`,
      members: [{ place: 'server', name: BASE_URL, isRequired: true, description: '', schema }],
    };
  }
  const members = names.map((name): Member => {
    const variable = known[name];
    const { default: standard, enum: values, description }: JsonObject = isJsonObject(variable) ? variable : {};
    const texts = isList(values) ? values.map(String) : [];
    return {
      place: 'server',
      name,
      isRequired: typeof standard !== 'string',
      description: textOf(description),
      schema: {
        type: 'string',
        ...(texts.length > 0 && { enum: texts }),
        ...(typeof standard === 'string' && { default: standard }),
      },
    };
  });
  return { url: given, members };
}

function readResponse(responses: JsonValue | undefined, references: References): JsonObject | undefined {
  if (!isJsonObject(responses)) return undefined;
  const status = Object.keys(responses).find((each) => /^2(\d\d|XX)$/i.test(each));
  const { content } = references.resolve(responses[status ?? 'default']) ?? {};
  const media = Object.entries(isJsonObject(content) ? content : {}).find(([type]) => isJson(type))?.[1];
  if (!isJsonObject(media) || media.schema === undefined) return undefined;
  const converter = createSchemaConverter(references, MAX_RESPONSE_PARTS);
  const schema = converter.convert(media.schema, { omitted: 'writeOnly', hasFiles: false });
  converter.finish();
  return schema;
}

function readSecurity(security: JsonValue | undefined): string[][] {
  if (!isList(security)) return [];
  return security.filter(isJsonObject).map((alternative) => Object.keys(alternative));
}

/** Returns true for a media type of JSON. */
export function isJson(contentType: string): boolean {
  return /[/+]json\b/i.test(contentType);
}

/** Returns true for the media types of forms, whose members are encoded one by one. */
export function isForm(contentType: string): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
