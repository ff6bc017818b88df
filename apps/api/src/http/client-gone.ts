import type { Response } from 'express';

/** Shared by all requests: each signal aborts at the end of its request, and creating an error captures a stack. */
const GONE = new Error('the caller has disconnected, or has its response');

/** Returns a signal that aborts when the connection closes. */
export function clientGone(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort(GONE);
  });
  if (response.destroyed) gone.abort(GONE);
  return gone.signal;
}
