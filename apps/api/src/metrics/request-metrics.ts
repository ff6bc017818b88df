import type { RequestHandler, Response } from 'express';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ERRORS } from '@deckhand/contracts';
import { routeOf } from '../http/route.ts';

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
