import type { Response } from 'express';
import { once } from 'node:events';
import { clientGone } from './client-gone.js';

/** An open stream of Server-Sent Events (WHATWG HTML, 9.2). */
export interface EventStream {
  /** Aborts when the caller goes away. */
  readonly gone: AbortSignal;
  /** Writes an event of one line of data; resolves once the caller has taken what was written before, or is gone. */
  send(event: string, data: string, id: string): Promise<void>;
  end(): void;
}

/** How often a comment keeps proxies from closing a quiet stream, in ms. */
const KEEP_ALIVE_MS = 15_000;
/** After how long a caller whose stream broke comes back, in ms. */
const RETRY_MS = 1_000;

/** Begins the answer. */
export function openEventStream(response: Response): EventStream {
  const gone = clientGone(response);
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Asks nginx, and those who follow it, not to collect the answer.
    'X-Accel-Buffering': 'no',
  });
  response.write(`retry: ${RETRY_MS}\n\n`);
  const keepAlive = setInterval(() => response.write(':\n\n'), KEEP_ALIVE_MS);
  gone.addEventListener('abort', () => {
    clearInterval(keepAlive);
  });
  return {
    gone,
    async send(event, data, id) {
      if (gone.aborted || response.write(`event: ${event}\nid: ${id}\ndata: ${data}\n\n`)) return;
      await once(response, 'drain', { signal: gone }).catch((error: unknown) => {
        if (!gone.aborted) throw error;
      });
    },
    end() {
      clearInterval(keepAlive);
      response.end();
    },
  };
}
