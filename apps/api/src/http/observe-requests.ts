import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '@deckhand/runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ERRORS } from '@deckhand/contracts';
import { routeOf } from './route.ts';

declare module 'http' {
  interface IncomingMessage {
    /** Identifies the request in its response, in errors and in the log. */
    id: string;
  }
}

const VALID_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives every request an id (the caller's, if it is valid), returns it in `X-Request-Id`, and logs each request: 5xx as
 * error, 4xx as info, the rest as debug. Headers are not logged, because they hold keys. No log object is built for a
 * line that the log level omits.
 */
export function createRequestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    request.id = chooseId(request);
    response.setHeader('X-Request-Id', request.id);
    response.once('close', () => {
      const level = levelOf(response.statusCode);
      if (logger.isLevelEnabled(level)) logger[level](describe(request, response, startedAt), endOf(response));
    });
    next();
  };
}

function chooseId(request: Request): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && VALID_ID.test(given) ? given : randomUUID();
}

function levelOf(status: number): 'error' | 'info' | 'debug' {
  if (status >= 500) return 'error';
  return status >= 400 ? 'info' : 'debug';
}

function describe(request: Request, response: Response, startedAt: number): object {
  return {
    requestId: request.id,
    method: request.method,
    url: hideSuffix(request.originalUrl),
    address: request.ip,
    status: response.statusCode,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

function endOf(response: Response): string {
  return response.writableFinished ? 'request completed' : 'request aborted';
}

/**
 * Hides most of the URL of a webhook or a form, which is a secret, and its query, in which providers send tokens; the
 * token of a link, also where it was misspelt; that of a link to a file; the code with which a provider of OAuth 2.0
 * redirects back; and the key of a memory, which may name a person.
 */
function hideSuffix(url: string): string {
  return url.replace(
    /^(\/(?:webhook|form)(?:-test)?\/[^/?]{0,4}|\/+(?:answer|files)\/|\/+oauth\/callback|\/+api\/ai\/memories\/messages).*$/is,
    '$1…',
  );
}

/** Upper bounds of durations, in seconds. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
/** Statuses of the service itself. Authors of workflows may choose any other for their webhooks. */
const STATUSES = new Set<number>([200, 201, 202, 204, 304, ...Object.values(ERRORS).map(({ status }) => status)]);

/**
 * Counts and times every request by the template of its route, such as `/api/executions/:id`. Values that callers and
 * authors choose (ids, paths, methods, statuses) never become labels.
 */
export function createRequestMetrics(registry: Registry): RequestHandler {
  const registers = [registry];
  const requests = new Counter({
    name: 'deckhand_http_requests_total',
    help: 'Requests that ended; status "aborted": the caller went away first',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'deckhand_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer; for those who follow a run as long as they follow it',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers,
  });
  let inFlight = 0;
  new Gauge({
    name: 'deckhand_http_requests_in_flight',
    help: 'Requests that have no complete answer yet',
    registers,
    collect() {
      this.set(inFlight);
    },
  });

  return (request, response, next) => {
    const startedAt = performance.now();
    inFlight += 1;
    response.once('close', () => {
      inFlight -= 1;
      const method = METHODS.has(request.method) ? request.method : 'other';
      const route = routeOf(request);
      requests.inc({ method, route, status: statusOf(response) });
      seconds.observe({ method, route }, (performance.now() - startedAt) / 1_000);
    });
    next();
  };
}

function statusOf({ statusCode, writableFinished }: Response): string {
  if (!writableFinished) return 'aborted';
  return STATUSES.has(statusCode) ? String(statusCode) : `${Math.floor(statusCode / 100)}xx`;
}
