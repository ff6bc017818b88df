import type { Express } from 'express';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { limitRequestTime } from './request-time.ts';

/** Timeouts of connections, in ms. */
export interface ServerTimes {
  /** Idle connections are kept longer than load balancers keep them, so that these never write to a closed one. */
  readonly keepAliveTimeout?: number;
  /** The headers of a request must arrive within this time, so that slow senders do not pile up. */
  readonly headersTimeout?: number;
  /** The whole request must arrive within this time; an upload that is fast enough may take longer. */
  readonly requestTimeout?: number;
  /** How often the timeouts are checked. */
  readonly connectionsCheckingInterval?: number;
}

const DEFAULTS: Required<ServerTimes> = {
  keepAliveTimeout: 75_000,
  headersTimeout: 30_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
};

/** Number of objects after which V8 fixes the size of the objects of a constructor. */
const SAMPLES = 8;

/**
 * Creates the HTTP server of an Express app. It closes slow connections, with a 408 if a request is in progress.
 *
 * Express sets the prototype of each request and response to that of the app. On objects with another prototype, V8
 * then creates new hidden classes for every request, which only a full collection removes and no inline cache knows. So
 * the objects are created with that prototype, by classes that become the app's `request` and `response`.
 */
export function createHttpServer(app: Express, times: ServerTimes = {}): Server {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  // If a collection ran between the first ones, V8 would lose what it learned of their size, and create all later ones
  // too small to be fast.
  for (let made = 0; made < SAMPLES; made += 1) new AppResponse(new AppRequest(new Socket()));
  const { requestTimeout, ...options } = { ...DEFAULTS, ...times };
  const classes = { IncomingMessage: AppRequest, ServerResponse: AppResponse };
  const server = createServer({ ...options, ...classes, requestTimeout: 0 }, app);
  limitRequestTime(server, requestTimeout);
  return server;
}
