import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import type { CompiledParameters, ExpressionReferences } from '../expressions/index.js';
import type { NodeType } from '../node-type.js';
import type { SourceReferences } from '../script.js';

/** A node that is sound by itself, with where it stands and what it compiled to. */
export interface SoundNode {
  readonly node: NodeDefinition;
  readonly path: string;
  readonly type: NodeType;
  /** Its named outputs, in order, without the one for errors; empty if it has a single output. */
  readonly handles: ReadonlySet<string>;
  readonly parameters: CompiledParameters;
  /** What its source reads of the run, for a type that has one. */
  readonly source: SourceReferences | undefined;
  /** What it reads in all: its expressions and its source. */
  readonly references: ExpressionReferences;
}

/** An edge that is sound by itself. */
export interface SoundEdge {
  readonly edge: EdgeDefinition;
  readonly path: string;
}
