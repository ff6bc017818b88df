import { type ErrorCode, ERRORS } from '@deckhand/contracts';
import { http, HttpResponse } from 'msw/http';
import { setupServer } from 'msw/node';
import {
  type Body,
  checkResponse,
  isRequestBody,
  issueOfRequest,
  type Operation,
  statusOfSuccess,
} from './contract.ts';
import type { RequestBody } from './request-bodies.ts';

/** A request to the fake API. */
export interface FakeRequest<B = unknown> {
  /** What its path has for the names of the operation. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** Its JSON, which may be invalid on purpose; undefined without one. */
  readonly json: unknown;
  /** The same as its operation has it. @throws for one that the OpenAPI document does not describe. */
  readonly body: B;
}

/** The length of an issue, in characters: it may have a whole body in it. */
const MAX_ISSUE_LENGTH = 600;

/** What was wrong with requests and responses since the last test. */
const issues: string[] = [];

let refusesInvalid = false;

const server = setupServer(
  http.all('*', ({ request: { method, url } }) => {
    issues.push(`nothing answers ${method} ${url}`);
    return HttpResponse.error();
  }),
);
server.listen();

/**
 * Answers an operation of the API until the end of the test, in place of an earlier answer: with a body, or with an
 * error, a file or a stream as a response. Requests and responses that the OpenAPI document does not describe fail the
 * test, as do requests that nothing answers.
 */
export function answer<const O extends Operation>(
  operation: O,
  respond: (request: FakeRequest<RequestBody<O>>) => Body<O> | Response | Promise<Body<O> | Response>,
): void {
  respondTo(operation, respond);
}

/**
 * Answers the operations on the entries of a list, such as `/api/variables`, as the API does: the list has what was
 * created, changed and deleted. @returns the list.
 */
export function keep<T extends { readonly id: string }, P extends `/api/${string}`>(
  path: P,
  entries: readonly T[],
  create?: (body: RequestBody<`POST ${P}`>) => T,
): T[] {
  const kept = [...entries];
  const indexOf = ({ params }: FakeRequest): number => kept.findIndex(({ id }) => id === params.id);
  respondTo(`GET ${path}`, () => pageOf(kept));
  respondTo(`GET ${path}/:id`, (request) => kept[indexOf(request)] ?? refusal('NOT_FOUND'));
  respondTo(`PATCH ${path}/:id`, (request) => {
    const index = indexOf(request);
    const entry = kept[index];
    if (entry === undefined) return refusal('NOT_FOUND');
    kept[index] = Object.assign({ ...entry }, request.body);
    return kept[index];
  });
  respondTo(`DELETE ${path}/:id`, (request) => void kept.splice(indexOf(request), 1));
  if (create) {
    respondTo(`POST ${path}` as const, ({ body }) => {
      const entry = create(body);
      kept.push(entry);
      return entry;
    });
  }
  return kept;
}

/** An error response of the API. @param details of an invalid body: its issues. */
export function refusal(code: ErrorCode, error: string = ERRORS[code].message, details?: unknown): Response {
  const body = { error, code, requestId: 'request', ...(details === undefined ? {} : { details }) };
  return Response.json(body, { status: ERRORS[code].status });
}

/** A page of a list that has all of it. */
export function pageOf<T>(data: readonly T[]) {
  return { data: [...data], limit: 500, offset: 0, hasMore: false };
}

/** Answers requests with invalid bodies as the API does, with a 400, for a test that sends one on purpose. */
export function refuseInvalid(): void {
  refusesInvalid = true;
}

/** Forgets all answers. @returns what was wrong with requests and responses. */
export function resetFakeApi(): string[] {
  server.resetHandlers();
  refusesInvalid = false;
  return [...new Set(issues.splice(0))];
}

function respondTo<O extends string>(operation: O, respond: (request: FakeRequest<RequestBody<O>>) => unknown): void {
  const [method = '', path = ''] = operation.split(' ');
  server.use(
    http.all(`*${path}`, async ({ request, params }) => {
      if (request.method !== method) return undefined;
      const url = new URL(request.url);
      const text = await request.clone().text();
      const isJson = request.headers.get('content-type') === 'application/json';
      const body: unknown = isJson ? JSON.parse(text) : undefined;
      const issue = issueOfRequest(method, url, body);
      if (issue !== undefined && refusesInvalid) return refuse(issue);
      try {
        const given = await respond({
          params: toStrings(params),
          query: url.searchParams,
          headers: request.headers,
          json: body,
          get body() {
            if (!isRequestBody(operation, url, body)) throw new Error(`a body that the API refuses: ${issue}`);
            return body;
          },
        });
        const isDryRun = url.searchParams.get('dryRun') === 'true';
        const status = statusOfSuccess(method, url.pathname, isDryRun);
        const response = given instanceof Response ? given : toResponse(given, status);
        // The test may answer it with the refusal that it is about.
        if (issue !== undefined && response.status !== 400) {
          issues.push(`${method} ${url.pathname}${url.search}: ${issue} in ${text.slice(0, MAX_ISSUE_LENGTH)}`);
        }
        // What is lost on the way has no status.
        if (response.type !== 'error') await checkResponse(method, url.pathname, response);
        return response;
      } catch (error) {
        issues.push(String(error).slice(0, MAX_ISSUE_LENGTH));
        return HttpResponse.error();
      }
    }),
  );
}

/** @param issue as Ajv writes it: `data/comment must NOT have more than 2000 characters`. */
function refuse(issue: string): Response {
  const [, path = '', message = issue] = /^data\/?(\S*) (.*)$/.exec(issue) ?? [];
  const place = path.replaceAll('/', '.');
  return refusal('VALIDATION_FAILED', `${place || 'body'}: ${message}`, [{ path: place, message }]);
}

function toResponse(body: unknown, status: number): Response {
  return body === undefined ? new Response(null, { status }) : Response.json(body, { status });
}

function toStrings(params: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}
