import type { Request } from 'express';
import type { Origin } from '@deckhand/db';

/** Where a request came from, for the record of what it changes. */
export function originOf(request: Request, apiKeyId: string | null): Origin {
  const requestId = typeof request.id === 'string' ? request.id : '';
  return { apiKeyId, address: request.ip ?? '', requestId };
}
