import type { NodeContext, NodeServices } from '@deckhand/engine';

/** The part of a node's context with which requests are sent. */
export interface SenderContext extends Pick<NodeContext, 'files' | 'idempotencyKey' | 'signal' | 'now'> {
  readonly services: Pick<NodeServices, 'http' | 'traffic'>;
}
