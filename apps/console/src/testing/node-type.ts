import type { NodeTypeEntry } from '@deckhand/contracts';
import type { NodeTypes } from '../graph/handles.ts';

/** A node type as the API describes it, for tests that need no details of it. */
export const nodeTypeOf = (type: string, more: Partial<NodeTypeEntry> = {}): NodeTypeEntry => ({
  type,
  title: type,
  description: '',
  category: 'data',
  icon: 'braces',
  summary: [],
  hasEffects: false,
  isTrigger: false,
  handles: [],
  handlesBy: null,
  undecidedHandle: null,
  container: null,
  credentialTypes: [],
  keywords: [],
  errors: [],
  parameters: {},
  form: { inputs: {}, shownFor: {}, panel: null },
  outputSchema: null,
  outputMembersOf: null,
  ...more,
});

/** Node types by name. */
export const nodeTypesOf = (...entries: readonly NodeTypeEntry[]): NodeTypes =>
  new Map(entries.map((entry) => [entry.type, entry]));

/** The types of containers. */
export const CONTAINER_TYPES = nodeTypesOf(
  nodeTypeOf('loop', { handles: ['body', 'done'], container: 'loop' }),
  nodeTypeOf('try', { handles: ['body', 'error', 'success'], container: 'try' }),
  nodeTypeOf('agent', { handles: ['body', 'done'], container: 'agent' }),
);
