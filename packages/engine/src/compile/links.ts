import type { NodeDefinition } from '@deckhand/contracts';

/** Returns whether a node's question may be answered by a link: only if its parameter says so as a plain value. */
export function allowsLinks({ parameters }: NodeDefinition): boolean {
  return parameters?.allowLinks === true;
}
