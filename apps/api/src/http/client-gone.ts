import type { Response } from 'express';

/** One for all: each request's signal aborts at its end, and an error of its own costs the stack of each. */
const GONE = new Error('the caller is gone, or has its answer');

/** Aborts when the caller goes away before its answer is complete. */
export function clientGone(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort(GONE);
  });
  if (response.destroyed) gone.abort(GONE);
  return gone.signal;
}
