import type { Definition, Execution, NodeProgress } from '@deckhand/contracts';
import { diffValues } from '../../graph/diff-definitions.ts';

/** A run with as much as is known of its outputs, and the definition of its version. */
export interface Side {
  readonly run: Execution;
  readonly definition: Definition;
}

/** A node in two runs. */
export interface NodePair {
  readonly nodeId: string;
  readonly title: string;
  /** Undefined if the run has not reached the node, or its version does not have it. */
  readonly left: NodeProgress | undefined;
  readonly right: NodeProgress | undefined;
  /** The versions that have the node. */
  readonly isIn: 'both' | 'left' | 'right';
  /** How the outputs compare; undefined if no side has one, or if that takes reading large ones. */
  readonly output: 'same' | 'changed' | undefined;
  /** Whether anything but the times differs. */
  readonly differs: boolean;
}

/** Pairs the nodes of two runs: those of the right version in its order, then those that only the left one has. */
export function compareNodes(left: Side, right: Side): NodePair[] {
  const [inLeft, inRight] = [toNodes(left), toNodes(right)];
  return [...new Map([...inRight, ...inLeft]).keys()].map((nodeId): NodePair => {
    const [before, after] = [left.run.progress[nodeId], right.run.progress[nodeId]];
    const isIn = !inRight.has(nodeId) ? 'left' : inLeft.has(nodeId) ? 'both' : 'right';
    const output = compareOutputs(before, after);
    return {
      nodeId,
      title: (inRight.get(nodeId) ?? inLeft.get(nodeId))?.name ?? nodeId,
      left: before,
      right: after,
      isIn,
      output,
      differs: isIn !== 'both' || output === 'changed' || statusOf(before) !== statusOf(after),
    };
  });
}

function toNodes({ definition }: Side) {
  return new Map(definition.nodes.map((node) => [node.id, node]));
}

/** A node that a run has not reached counts as pending. */
function statusOf(progress: NodeProgress | undefined) {
  return progress?.status ?? 'pending';
}

function compareOutputs(before: NodeProgress | undefined, after: NodeProgress | undefined): NodePair['output'] {
  const [left, right] = [before?.outputBytes ?? 0, after?.outputBytes ?? 0];
  if (left === 0 && right === 0) return undefined;
  if (left === 0 || right === 0) return 'changed';
  if (before?.output === undefined || after?.output === undefined) return left === right ? undefined : 'changed';
  return diffValues(before.output, after.output).length === 0 ? 'same' : 'changed';
}
