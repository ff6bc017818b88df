import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import type { CompiledParameters, ExpressionReferences } from '../expressions/index.ts';
import type { NodeType } from '../node-type.ts';
import type { SourceReferences } from '../script.ts';

/** A node without issues of its own, with its path and its compiled parts. */
export interface SoundNode {
  readonly node: NodeDefinition;
  readonly path: string;
  readonly type: NodeType;
  /** Its named outputs, in order, without the one for errors; empty if it has a single output. */
  readonly handles: ReadonlySet<string>;
  readonly parameters: CompiledParameters;
  /** The parameter that is evaluated while the node runs; undefined without one. */
  readonly deferred: CompiledParameters | undefined;
  /** The data of the run that its source reads, for a type with a source. */
  readonly source: SourceReferences | undefined;
  /** All data of the run that it reads, by its expressions, without the deferred one, and its source. */
  readonly references: ExpressionReferences;
}

/** An edge without issues of its own. */
export interface SoundEdge {
  readonly edge: EdgeDefinition;
  readonly path: string;
}
