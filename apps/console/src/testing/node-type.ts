import type { NodeTypeEntry } from '@deckhand/contracts';

/** A node type as the API describes it, for tests that need no details of it. */
export const nodeTypeOf = (type: string, more: Partial<NodeTypeEntry> = {}): NodeTypeEntry => ({
  type,
  title: type,
  description: '',
  category: 'data',
  hasEffects: false,
  isTrigger: false,
  handles: [],
  undecidedHandle: null,
  credentialTypes: [],
  keywords: [],
  parameters: {},
  ...more,
});
