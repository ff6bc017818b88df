import type { Response } from 'express';
import { DeckhandError, type ErrorCode } from '@deckhand/contracts';
import type { RateLimit, WindowCount } from '@deckhand/queue';

/** A limit that a request counted towards, and its state after that. */
export interface CountedRate extends RateLimit, WindowCount {
  /** Names what is counted: runs of a workspace, or requests to a workflow's webhooks. */
  readonly name: 'workspace-runs' | 'workflow-requests';
}

/** Headers about a limit, as in draft-ietf-httpapi-ratelimit-headers-10. */
function rateHeaders({ name, max, windowSeconds, remaining, resetSeconds }: CountedRate): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${max};w=${windowSeconds}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** Sets the headers that say what is left of a limit. */
export function setRateHeaders(response: Response, rate: CountedRate): void {
  for (const [name, value] of Object.entries(rateHeaders(rate))) response.setHeader(name, value);
}

/** Returns a 429 with the numbers of the limit. */
export function rateLimited(code: ErrorCode, rate: CountedRate, message?: string): DeckhandError {
  const { max, windowSeconds, resetSeconds } = rate;
  return new DeckhandError(code, {
    ...(message === undefined ? {} : { message }),
    details: { limit: max, windowSeconds, retryAfterSeconds: resetSeconds },
    headers: { ...rateHeaders(rate), 'Retry-After': String(resetSeconds) },
  });
}
