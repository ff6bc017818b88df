import { readFileSync } from 'node:fs';
import type { Static } from 'typebox';
import { createDocumentCheck } from '../../../../tests/harness/document-check.ts';
import type { RESPONSE_SCHEMAS } from '../../../../tests/harness/responses.ts';
import type { RequestBody } from './request-bodies.ts';
import examples from '../../../api/src/openapi/examples.json' with { type: 'json' };

type Schemas = typeof RESPONSE_SCHEMAS;

/** An operation of the API, such as `GET /api/workflows/:id`; those without a body in their response included. */
export type Operation =
  keyof Schemas | `${'DELETE' | 'POST'} /api/${string}` | `GET /api/executions/:id/${'events' | 'files/:fileId'}`;

/** The body of the successful response of an operation; undefined for one without. */
export type Body<O extends Operation> =
  | (O extends keyof Schemas ? Static<Schemas[O]> : undefined)
  | (`${O}?dryRun=true` extends keyof Schemas ? Static<Schemas[`${O}?dryRun=true`]> : never);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, unknown>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

type Examples = Readonly<
  Record<string, { readonly request?: unknown; readonly responses?: Readonly<Record<string, unknown>> }>
>;

const document: OpenApi = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'));
const check = createDocumentCheck(document);
const recorded: Examples = examples;

/** Returns what is wrong with a request by the OpenAPI document; undefined if nothing is. */
export function issueOfRequest(method: string, url: URL, body: unknown): string | undefined {
  const found = find(method, url.pathname);
  if (found === undefined) return 'the API has no such operation';
  const parameters = (found.operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const unknown = [...url.searchParams.keys()].find((given) => {
    // Members of an object are parameters of their own: `startedAt[gte]`.
    const [name] = given.split('[');
    return parameters.every((parameter) => parameter.name !== name);
  });
  if (unknown !== undefined) return `it has no parameter ${unknown}`;
  const missing = parameters.find(({ name, required }) => required === true && !url.searchParams.has(name));
  if (missing !== undefined) return `the parameter ${missing.name} is missing`;
  return body === undefined ? undefined : check.issuesOfRequest(method, found.template, body);
}

/** Returns true for a body of a request to the operation, by the OpenAPI document. @param url of the request. */
export function isRequestBody<O extends string>(operation: O, url: URL, body: unknown): body is RequestBody<O> {
  return issueOfRequest(operation.split(' ')[0] ?? '', url, body) === undefined;
}

/** The status of the successful response of an operation: of a dry run, 200. */
export function statusOfSuccess(method: string, path: string, isDryRun = false): number {
  const statuses = Object.keys(find(method, path)?.operation.responses ?? {});
  // A sign-in that waits for its second step is not the usual one.
  const usual = path.startsWith('/api/auth/') ? statuses.filter((status) => status !== '202') : statuses;
  return isDryRun ? 200 : Number(usual.findLast((status) => status.startsWith('2')));
}

/** @throws when the OpenAPI document does not describe the response. */
export async function checkResponse(method: string, path: string, response: Response): Promise<void> {
  if (find(method, path)?.operation.responses[response.status] === undefined) {
    throw new Error(`${method} ${path} never answers ${response.status}`);
  }
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  // A stream has no end to wait for.
  const text = type === 'text/event-stream' ? '' : await response.clone().text();
  const body: unknown = type === 'application/json' ? JSON.parse(text) : undefined;
  check.check(method, path, { status: response.status, type, body, text });
}

/** A response of the real API to the operation, as it was recorded for the OpenAPI document. */
export function example<O extends keyof Schemas>(operation: O): Static<Schemas[O]> {
  const [method = '', path = ''] = operation.split(' ');
  const id = find(method, path)?.operation.operationId ?? '';
  const body: unknown = structuredClone(recorded[id]?.responses?.[statusOfSuccess(method, path)]);
  if (!isBody(operation, body)) throw new Error(`${operation} has no example`);
  return body;
}

function isBody<O extends keyof Schemas>(operation: O, body: unknown): body is Static<Schemas[O]> {
  const [method = '', path = ''] = operation.split(' ');
  const template = find(method, path)?.template ?? '';
  const status = String(statusOfSuccess(method, path));
  return check.issuesOfResponse(method, template, status, 'application/json', body) === undefined;
}

function find(method: string, path: string) {
  const template = check.templateOf(path);
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
  return template === undefined || operation === undefined ? undefined : { template, operation };
}
