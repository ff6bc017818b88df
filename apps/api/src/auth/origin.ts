import type { Request } from 'express';
import type { Origin } from '@deckhand/db';
import { unmapIPv4 } from '../http/network-of.ts';

/** Where a request came from, for the record of what it changes. */
export function originOf(request: Pick<Request, 'id' | 'ip'>, apiKeyId: string | null): Origin {
  const requestId = typeof request.id === 'string' ? request.id : '';
  return { apiKeyId, address: unmapIPv4(request.ip ?? ''), requestId };
}
