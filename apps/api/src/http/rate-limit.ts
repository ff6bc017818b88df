import type { Response } from 'express';
import { DeckhandError, type ErrorCode } from '@deckhand/contracts';
import type { RateLimit, WindowCount } from '@deckhand/queue';

/** A limit that a request was counted under, and how it stands after that. */
export interface CountedRate extends RateLimit, WindowCount {
  /** What is counted: runs of a workspace, or requests to a workflow's webhooks. */
  readonly name: 'workspace-runs' | 'workflow-requests';
}

/** What a response says of a limit, as in draft-ietf-httpapi-ratelimit-headers-10. */
function rateHeaders({ name, max, windowSeconds, remaining, resetSeconds }: CountedRate): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${max};w=${windowSeconds}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** Says in a response what is left of a limit. */
export function sayRate(response: Response, rate: CountedRate): void {
  for (const [name, value] of Object.entries(rateHeaders(rate))) response.setHeader(name, value);
}

/** A 429 for what a limit leaves no room for, with its numbers. */
export function rateLimited(code: ErrorCode, rate: CountedRate, message?: string): DeckhandError {
  const { max, windowSeconds, resetSeconds } = rate;
  return new DeckhandError(code, {
    ...(message === undefined ? {} : { message }),
    details: { limit: max, windowSeconds, retryAfterSeconds: resetSeconds },
    headers: { ...rateHeaders(rate), 'Retry-After': String(resetSeconds) },
  });
}
