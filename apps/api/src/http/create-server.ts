import { createServer, type RequestListener, type Server } from 'node:http';

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

/** An HTTP server that closes connections which take their time: with a 408 where a request is under way. */
export function createHttpServer(listener: RequestListener, times: ServerTimes = {}): Server {
  return createServer({ ...DEFAULTS, ...times }, listener);
}
