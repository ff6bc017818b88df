import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Bytes per second that a transfer must have on average, once it has taken as long as any other request may. */
const MIN_BYTES_PER_SECOND = 16_384;
const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** The time of a request whose body is still to come. */
interface RequestTime {
  readonly timer: NodeJS.Timeout;
  readonly limitMs: number;
}

const times = new WeakMap<IncomingMessage, RequestTime>();

/**
 * Ends requests whose body does not arrive in time: sends a 408, unless a response has begun, and closes the
 * connection. The time limit of Node.js is the same for all requests, and would end large uploads.
 */
export function limitRequestTime(server: Server, limitMs: number): void {
  server.prependListener('request', (request, response) => {
    if (!hasBody(request)) return;
    const timer = setTimeout(() => endRequest(request, response), limitMs);
    times.set(request, { timer, limitMs });
    // Once the body has come, or the connection is gone.
    request.once('close', () => clearTimeout(timer));
  });
}

/**
 * Returns whether the other side of a transfer is as fast as it has to be.
 * @param waitedMs for how long it was waited for.
 * @param limitMs for how long any transfer may take.
 */
export function isFastEnough(transfer: {
  readonly bytes: number;
  readonly waitedMs: number;
  readonly limitMs: number;
}): boolean {
  return transfer.waitedMs < transfer.limitMs + (transfer.bytes / MIN_BYTES_PER_SECOND) * 1_000;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function endRequest(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  if (!response.headersSent) request.socket.write(TIMED_OUT);
  request.socket.destroySoon();
}

/**
 * Reads a body of any length while it comes, for as long as its sender is fast enough: after the time that any request
 * has, 16 KiB per second on average. Time in which the reader is busy does not count. What is not read is discarded as
 * it comes, so that the caller of a refused request receives the response.
 */
export async function* readPaced(request: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  const time = times.get(request);
  const chunks: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
  let bytes = 0;
  let waitedMs = 0;
  let waitsSince = performance.now();
  for await (const chunk of chunks) {
    waitedMs += performance.now() - waitsSince;
    bytes += chunk.byteLength;
    // One that is too slow ends after the limit.
    if (time && isFastEnough({ bytes, waitedMs, limitMs: time.limitMs })) time.timer.refresh();
    yield chunk;
    waitsSince = performance.now();
  }
}
