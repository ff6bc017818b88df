import type { Express } from 'express';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** How long a connection is given, in ms. */
export interface ServerTimes {
  /** An idle one is kept this long: longer than load balancers do, so that they never write to a closed one. */
  readonly keepAliveTimeout?: number;
  /** The headers of a request must have come within this time, so that slow senders do not pile up. */
  readonly headersTimeout?: number;
  /** So must the whole request. */
  readonly requestTimeout?: number;
  /** How often the times are looked after. */
  readonly connectionsCheckingInterval?: number;
}

const DEFAULTS: Required<ServerTimes> = {
  keepAliveTimeout: 75_000,
  headersTimeout: 30_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
};

/** Objects after which V8 settles the size of all that a constructor makes. */
const SAMPLES = 8;

/**
 * Serves an Express app, and closes connections that take their time: with a 408 where a request is under way.
 *
 * Express gives each request and each answer the app's prototype. On objects of another one V8 then makes hidden
 * classes anew for every request, which only a full collection takes away, and which no inline cache knows. So they are
 * made with that prototype, by classes that become the app's `request` and `response`.
 */
export function createHttpServer(app: Express, times: ServerTimes = {}): Server {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  // Were a collection to come between the first ones, V8 would forget what they hold, and make all that follow too
  // small to be fast.
  for (let made = 0; made < SAMPLES; made += 1) new AppResponse(new AppRequest(new Socket()));
  return createServer({ ...DEFAULTS, ...times, IncomingMessage: AppRequest, ServerResponse: AppResponse }, app);
}
