import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import type { CompiledParameters } from '../expressions/index.js';
import type { NodeType } from '../node-type.js';

/** A node that is sound by itself, with where it stands and what it compiled to. */
export interface SoundNode {
  readonly node: NodeDefinition;
  readonly path: string;
  readonly type: NodeType;
  readonly parameters: CompiledParameters;
}

/** An edge that is sound by itself. */
export interface SoundEdge {
  readonly edge: EdgeDefinition;
  readonly path: string;
}
