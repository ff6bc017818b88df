import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';

/** Returns the id of a node in the path. @throws DeckhandError NOT_FOUND for a value that is no valid node id. */
export function pathNodeId({ params: { nodeId } }: Request): string {
  if (typeof nodeId !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(nodeId)) throw new DeckhandError('NOT_FOUND');
  return nodeId;
}
