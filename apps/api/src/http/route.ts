import type { Express, Request, RequestHandler, Response } from 'express';
import { DeckhandError, type ErrorCode } from '@deckhand/contracts';
import type { TObject, TSchema } from 'typebox';
import { accessRule } from '../auth/access-rule.js';
import type { Authenticate } from '../auth/authenticate.js';
import type { Caller, SessionCaller } from '../auth/caller.js';
import { announceDeprecation, type Deprecation } from './deprecation.js';
import { refuseIfMatch } from './etag.js';
import { refuseUnknownParameters } from './query.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Handles a request; what it throws becomes the answer in one place. */
export type OpenHandler = (request: Request, response: Response) => Promise<void> | void;
export type Handler = (request: Request, response: Response, caller: Caller) => Promise<void> | void;
export type SessionHandler = (request: Request, response: Response, caller: SessionCaller) => Promise<void> | void;

/** What an operation takes and answers, as the OpenAPI document says it; the schemas are those that validate. */
export interface Operation {
  readonly summary: string;
  /** What a successful response says; not said where it has no body. */
  readonly returns?: string;
  readonly query?: TObject;
  /** The JSON body; without one a body is refused. */
  readonly body?: TSchema;
  readonly isBodyOptional?: boolean;
  /** Whether it carries a request with an `Idempotency-Key` out once; all POSTs do that answer with no secret. */
  readonly takesIdempotencyKey?: boolean;
  /** Whether its resource has an `ETag` that `If-Match` is compared with; other PATCHes and PUTs refuse the header. */
  readonly takesIfMatch?: boolean;
  /** Request headers with a meaning of their own: name → what it does. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers that are no errors, by status: the schema of the JSON, null for no body, or another content type. */
  readonly answers: Readonly<Record<number, TSchema | string | null>>;
  /** Of an answer that is a stream of Server-Sent Events: the JSON that each event has as its data, by its name. */
  readonly events?: Readonly<Record<string, TSchema>>;
  /** Set once the operation will end; responses and the document say so. */
  readonly deprecated?: Deprecation;
  /** Other content types of the same answer. */
  readonly alsoAs?: readonly string[];
  /**
   * Errors beside those that follow from the rest: of validation, authentication, visibility and the service itself.
   */
  readonly errors?: readonly ErrorCode[];
}

/** What an operation may have beside its handler. */
export interface RouteOptions {
  /** Asked before anything is known of the caller; what it throws becomes the answer. */
  readonly guard?: () => void;
}

interface RouteBase extends RouteOptions {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
}

/** One operation: where it is, who may call it, what it does. */
export type Route = RouteBase &
  (
    | { readonly access: 'open'; readonly handle: OpenHandler }
    | { readonly access: 'session'; readonly handle: SessionHandler }
    | { readonly access: 'key'; readonly handle: Handler }
  );

/** An operation that needs no authentication. */
export function open(method: Method, path: string, operation: Operation, handle: OpenHandler): Route {
  return { access: 'open', method, path, operation, handle };
}

/** An operation for a signed-in person, closed to API keys. */
export function forSession(method: Method, path: string, operation: Operation, handle: SessionHandler): Route {
  return { access: 'session', method, path, operation, handle };
}

/** An operation for a signed-in person or an API key with the scope that the path and the method ask for. */
export function forKey(
  method: Method,
  path: string,
  operation: Operation,
  handle: Handler,
  options: RouteOptions = {},
): Route {
  return { access: 'key', method, path, operation, handle, ...options };
}

/** Registers routes in their order; another method on a known path is a 405 that lists those it has. */
export function registerRoutes(app: Express, routes: readonly Route[], authenticate: Authenticate): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const operations = routes.filter((route) => route.path === path);
    const route = app.route(path);
    for (const operation of operations) {
      const { deprecated } = operation.operation;
      const handler = [
        ...(deprecated ? [announceDeprecation(deprecated)] : []),
        toRequestHandler(operation, authenticate),
      ];
      switch (operation.method) {
        case 'GET':
          route.get(handler);
          break;
        case 'POST':
          route.post(handler);
          break;
        case 'PUT':
          route.put(handler);
          break;
        case 'PATCH':
          route.patch(handler);
          break;
        case 'DELETE':
          route.delete(handler);
          break;
      }
    }
    route.all(refuseMethod(operations.map((operation) => operation.method)));
  }
}

/** Whether an operation is for probes and monitoring, which may add any parameters. */
export function isProbe({ path }: Pick<Route, 'path'>): boolean {
  return !path.startsWith('/api/');
}

function toRequestHandler(route: Route, authenticate: Authenticate): RequestHandler {
  const { query, takesIfMatch = false } = route.operation;
  const isUnconditional = !takesIfMatch && (route.method === 'PATCH' || route.method === 'PUT');
  const refuseCondition = isUnconditional ? refuseIfMatch : () => undefined;
  if (route.access === 'open') {
    return (request, response) => {
      if (!isProbe(route)) refuseUnknownParameters(request, query);
      return route.handle(request, response);
    };
  }
  const rule = accessRule(route.method, route.path);
  if (route.access === 'session') {
    return async (request, response) => {
      const caller = await authenticate.session(request);
      refuseUnknownParameters(request, query);
      refuseCondition(request);
      await route.handle(request, response, caller);
    };
  }
  if (rule.kind === 'session') throw new Error(`${route.path} is closed to API keys: register it with forSession`);
  return async (request, response) => {
    route.guard?.();
    const caller = await authenticate.caller(request, rule);
    refuseUnknownParameters(request, query);
    refuseCondition(request);
    await route.handle(request, response, caller);
  };
}

function refuseMethod(methods: readonly Method[]): RequestHandler {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  const headers = { Allow: allowed.join(', ') };
  return () => {
    throw new DeckhandError('METHOD_NOT_ALLOWED', { headers });
  };
}
