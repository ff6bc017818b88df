import { createServer } from 'node:http';
import { stopLater } from './cleanup.ts';

/** One request that the receiver got. */
export interface ReceivedCall {
  readonly path: string;
  readonly idempotencyKey: string;
  /** ms since the epoch. */
  readonly at: number;
}

/** An HTTP server that counts. */
export interface Receiver {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** The highest number of calls in progress at the same time. */
  inFlightMax(): number;
  stop(): Promise<void>;
}

/**
 * Starts a receiver on a free port. Options are functions of the path of a call and of the number of earlier calls of
 * that path: `delayMs`, the delay of the response; `refuses`, whether to respond with 503; `body`, the body of the
 * response; `held`, what the response waits for after the delay.
 */
export async function startReceiver(
  delayMs: (path: string, earlier: number) => number = () => 0,
  {
    refuses = () => false,
    body,
    held = () => Promise.resolve(),
  }: {
    refuses?: (path: string, earlier: number) => boolean;
    body?: (path: string, earlier: number) => object;
    held?: (path: string, earlier: number) => Promise<unknown>;
  } = {},
): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const countByPath = new Map<string, number>();
  let inFlight = 0;
  let inFlightMax = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const path = request.url ?? '';
    calls.push({ path, idempotencyKey: String(request.headers['idempotency-key']), at: Date.now() });
    const earlier = countByPath.get(path) ?? 0;
    countByPath.set(path, earlier + 1);
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    // Also when the caller dies.
    response.on('close', () => (inFlight -= 1));
    request.resume();
    const respond = (): void => {
      response.statusCode = refuses(path, earlier) ? 503 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body?.(path, earlier) ?? { received: calls.length }));
    };
    setTimeout(() => void held(path, earlier).then(respond), delayMs(path, earlier)).unref();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return stopLater({
    url: `http://127.0.0.1:${address.port}`,
    calls,
    inFlightMax: () => inFlightMax,
    stop() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
