import type { Response } from 'express';

/** Aborts when the caller goes away before its answer is complete. */
export function clientGone(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
  });
  if (response.destroyed) gone.abort();
  return gone.signal;
}
