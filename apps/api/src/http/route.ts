import type { Express, Request, RequestHandler, Response } from 'express';
import { DeckhandError, type ErrorCode } from '@deckhand/contracts';
import type { TObject, TSchema } from 'typebox';
import { type Authenticate, isClosedToKeys, type NeededScope } from '../auth/authenticate.ts';
import type { Caller, SessionCaller } from '../auth/caller.ts';
import { announceDeprecation, type Deprecation } from './deprecation.ts';
import { refuseIfMatch } from './etag.ts';
import { refuseUnknownParameters } from './read-request.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Handles a request. Errors that it throws become responses in one place (errors.ts). */
export type OpenHandler = (request: Request, response: Response) => Promise<void> | void;
export type Handler = (request: Request, response: Response, caller: Caller) => Promise<void> | void;
export type SessionHandler = (request: Request, response: Response, caller: SessionCaller) => Promise<void> | void;

/** Requests and responses of an operation. The OpenAPI document and validation use the same schemas. */
export interface Operation {
  readonly summary: string;
  /** One to three sentences for the OpenAPI document: what a caller has to know beyond the summary. */
  readonly description: string;
  /** Describes a successful response. Undefined if it has no body. */
  readonly returns?: string;
  readonly query?: TObject;
  /** The JSON body. Without a schema, a body is refused. */
  readonly body?: TSchema;
  /** Whether the body is a file of any type, which is read as it comes. */
  readonly takesBytes?: boolean;
  readonly isBodyOptional?: boolean;
  /** Whether it takes an `Idempotency-Key`, as all POSTs do whose response has no secret. */
  readonly takesIdempotencyKey?: boolean;
  /** Whether its resource has an `ETag` for `If-Match`. Other PATCHes and PUTs refuse the header. */
  readonly takesIfMatch?: boolean;
  /** Whether a person with a second factor must have proved it within ten minutes. */
  readonly confirmsPerson?: boolean;
  /** Whether it may be read from a replica: see `runReads`. */
  readonly readsReplica?: boolean;
  /** Request headers that only this operation has, with their descriptions, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Successful responses by status: the schema of the JSON, null for no body, or another content type. */
  readonly responses: Readonly<Record<number, TSchema | string | null>>;
  /** For a response of Server-Sent Events: the schema of the data of each event, by its name. */
  readonly events?: Readonly<Record<string, TSchema>>;
  /** Set if the operation will end. Responses and the OpenAPI document announce it. */
  readonly deprecated?: Deprecation;
  /** Other content types of the same response. */
  readonly alsoAs?: readonly string[];
  /**
   * Errors in addition to those that follow from the rest: validation, authentication, visibility and availability.
   */
  readonly errors?: readonly ErrorCode[];
}

/** Options of an operation. */
export interface RouteOptions {
  /** Runs before authentication, and throws to refuse the request. */
  readonly guard?: () => void;
}

interface RouteBase extends RouteOptions {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
}

/** One operation: its path, who may call it, and its handler. */
export type Route = RouteBase &
  (
    | { readonly access: 'open'; readonly handle: OpenHandler }
    | { readonly access: 'session'; readonly handle: SessionHandler }
    | { readonly access: 'key'; readonly needed: NeededScope; readonly handle: Handler }
  );

/** Defines an operation that needs no authentication. */
export function open(method: Method, path: string, operation: Operation, handle: OpenHandler): Route {
  return { access: 'open', method, path, operation, handle };
}

/** Defines an operation for signed-in people, closed to API keys. */
export function forSession(method: Method, path: string, operation: Operation, handle: SessionHandler): Route {
  return { access: 'session', method, path, operation, handle };
}

/**
 * Defines an operation for signed-in people, and for API keys with a scope.
 * @throws if keys are refused at the path before their scopes are checked.
 */
export function forKey(
  method: Method,
  path: string,
  needed: NeededScope | NeededScope['scope'],
  operation: Operation,
  handle: Handler,
  options: RouteOptions = {},
): Route {
  if (isClosedToKeys(path)) throw new Error(`${path} is closed to API keys: use forSession`);
  const scope = typeof needed === 'string' ? { scope: needed } : needed;
  return { access: 'key', method, path, needed: scope, operation, handle, ...options };
}

/** Registers routes in their order. Another method on a known path is a 405 that lists the known ones. */
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

/** Returns true for operations of probes and monitoring, which may send any query parameters. */
export function isProbe({ path }: Pick<Route, 'path'>): boolean {
  return !path.startsWith('/api/');
}

function toRequestHandler(route: Route, authenticate: Authenticate): RequestHandler {
  const { query, takesIfMatch = false, confirmsPerson = false } = route.operation;
  const isUnconditional = !takesIfMatch && (route.method === 'PATCH' || route.method === 'PUT');
  const refuseCondition = isUnconditional ? refuseIfMatch : () => undefined;
  if (route.access === 'open') {
    return (request, response) => {
      if (!isProbe(route)) refuseUnknownParameters(request, query);
      return route.handle(request, response);
    };
  }
  if (route.access === 'session') {
    return async (request, response) => {
      const caller = await authenticate.session(request);
      refuseUnknownParameters(request, query);
      refuseCondition(request);
      if (confirmsPerson) await authenticate.requireConfirmed(caller);
      await route.handle(request, response, caller);
    };
  }
  return async (request, response) => {
    route.guard?.();
    const caller = await authenticate.caller(request, route.needed);
    refuseUnknownParameters(request, query);
    refuseCondition(request);
    if (confirmsPerson) await authenticate.requireConfirmed(caller);
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

/**
 * Returns the template of the route that matched, such as `/api/executions/:id`. Returns `other` if none did: for files
 * of the console, and unknown paths.
 */
export function routeOf(request: Request): string {
  const route: unknown = request.route;
  const isMatched = typeof route === 'object' && route !== null && 'path' in route;
  return isMatched && typeof route.path === 'string' ? route.path : 'other';
}
