import type { Response } from 'express';
import { once } from 'node:events';
import { clientGone } from './client-gone.ts';

/** An open stream of Server-Sent Events (WHATWG HTML, 9.2). */
export interface EventStream {
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
  /** Writes an event with one line of data. Resolves once the caller has read what was written, or disconnected. */
  send(event: string, data: string, id: string): Promise<void>;
  end(): void;
}

/** How often a comment keeps proxies from closing a quiet stream, in ms. */
const KEEP_ALIVE_MS = 15_000;
/** After how long a caller whose stream broke should reconnect, in ms. */
const RETRY_MS = 1_000;

/** Starts the response. */
export function openEventStream(response: Response): EventStream {
  const gone = clientGone(response);
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Asks nginx, and proxies that follow it, not to buffer the response.
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
