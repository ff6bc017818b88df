import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { isList, type References } from './document.ts';
import type { FoundOperation } from './read-operation.ts';

/** Members of a parameter that describe its value, which OpenAPI 3 has in a schema. */
const NOT_OF_SCHEMA: ReadonlySet<string> = new Set(['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue']);

const COLLECTION_STYLES: Readonly<Record<string, string>> = {
  ssv: 'spaceDelimited',
  tsv: 'tabDelimited',
  pipes: 'pipeDelimited',
};

/**
 * Converts an operation of Swagger 2 to one of OpenAPI 3: its parameters to parameters and a request body, its
 * responses, and its address. Schemas stay what they are.
 */
export function fromSwagger2(
  document: JsonObject,
  { method, path, operation, shared }: FoundOperation,
  references: References,
): FoundOperation {
  const parameters = [shared.parameters, operation.parameters]
    .flatMap((list) => (isList(list) ? list : []))
    .map((parameter) => references.resolve(parameter) ?? {});
  const consumes = textsOf(operation.consumes ?? document.consumes);
  const produces = textsOf(operation.produces ?? document.produces);
  const requestBody = toRequestBody(parameters, consumes);
  return {
    method,
    path,
    shared: {},
    operation: {
      ...operation,
      parameters: parameters
        .filter((parameter) => parameter.in !== 'body' && parameter.in !== 'formData')
        .map(toParameter),
      ...(requestBody && { requestBody }),
      responses: toResponses(operation.responses, produces, references),
      servers: serversOf(document, textsOf(operation.schemes ?? document.schemes)),
    },
  };
}

function toParameter(parameter: JsonObject): JsonObject {
  const { name, in: place, required, description, collectionFormat } = parameter;
  const given = textOf(collectionFormat) || 'csv';
  const style = COLLECTION_STYLES[given];
  return {
    name: textOf(name),
    in: textOf(place),
    description: textOf(description),
    required: required === true,
    explode: given === 'multi',
    ...(style !== undefined && { style }),
    schema: schemaOf(parameter),
  };
}

function schemaOf(parameter: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(parameter).filter(([name]) => !NOT_OF_SCHEMA.has(name)));
}

function toRequestBody(parameters: readonly JsonObject[], consumes: readonly string[]): JsonObject | undefined {
  const fields = parameters.filter((parameter) => parameter.in === 'formData');
  if (fields.length > 0) return toForm(fields, consumes);
  const body = parameters.findLast((parameter) => parameter.in === 'body');
  if (!body) return undefined;
  const types = consumes.length > 0 ? consumes : ['application/json'];
  return {
    required: body.required === true,
    content: Object.fromEntries(types.map((type) => [type, { schema: body.schema ?? {} }])),
  };
}

function toForm(fields: readonly JsonObject[], consumes: readonly string[]): JsonObject {
  const named = fields.map((field): [string, JsonObject] => [textOf(field.name), field]);
  const hasFiles = fields.some(({ type }) => type === 'file');
  const isMultipart = hasFiles || consumes.some((type) => /^multipart\//i.test(type));
  const required = named.flatMap(([name, field]) => (field.required === true ? [name] : []));
  const lists = named.filter(([, field]) => field.type === 'array');
  return {
    required: required.length > 0,
    content: {
      [isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded']: {
        schema: {
          type: 'object',
          properties: Object.fromEntries(named.map(([name, field]) => [name, schemaOf(field)])),
          required,
        },
        encoding: Object.fromEntries(
          lists.map(([name, field]) => {
            const { style = 'form', explode = false } = toParameter(field);
            return [name, { style, explode }];
          }),
        ),
      },
    },
  };
}

function toResponses(
  responses: JsonValue | undefined,
  produces: readonly string[],
  references: References,
): JsonObject {
  const type =
    produces.find((each) => /[/+]json\b/i.test(each)) ?? (produces.length === 0 ? 'application/json' : undefined);
  const all = Object.entries(isJsonObject(responses) ? responses : {});
  return Object.fromEntries(
    all.map(([status, response]): [string, JsonObject] => {
      const { schema } = references.resolve(response) ?? {};
      return [status, type !== undefined && schema !== undefined ? { content: { [type]: { schema } } } : {}];
    }),
  );
}

function serversOf({ host, basePath }: JsonObject, schemes: readonly string[]): JsonValue {
  const path = textOf(basePath).replace(/\/$/, '');
  if (textOf(host) === '') return [{ url: path }];
  const scheme = schemes.includes('https') || schemes.length === 0 ? 'https' : 'http';
  return [{ url: `${scheme}://${textOf(host)}${path}` }];
}

function textsOf(value: JsonValue | undefined): string[] {
  return (isList(value) ? value : []).filter((text) => typeof text === 'string');
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
