import type { JsonValue } from '@deckhand/contracts';
import type { GraphNode } from '../compile/graph.ts';
import { lazy, type LazySignal } from './lazy.ts';
import { storedDecision, storeDecision } from './node-state.ts';
import { type NodeRecord, recordKey } from './records.ts';
import type { JoinDecision, Scope } from './scope.ts';

type Place = Pick<Scope, 'iteration'>;

/**
 * What a run keeps for its early joins: their decisions, and how the nodes are doing that these joins, or a try, may
 * cancel.
 */
export interface EarlyJoins {
  /** Returns the decision of an earlier worker, by the join's record, and keeps it. */
  earlierDecision(record: NodeRecord | undefined): JoinDecision | undefined;
  /** Keeps a decision until its join is settled. */
  decided(node: GraphNode, place: Place, decision: JoinDecision): void;
  /** Returns the state of the record of a join that has decided. */
  stateOf(node: GraphNode, place: Place): JsonValue | undefined;
  /** Notes a new record of a node. */
  recorded(node: GraphNode, record: NodeRecord): void;
  /** Returns the last record of a node that may be cancelled, if it is in progress or resumed. */
  lastRecordOf(node: Pick<GraphNode, 'id'>, place: Place): NodeRecord | undefined;
  /** Returns the signal that aborts a node in progress: for one that may be cancelled, a signal of its own. */
  signalOf(node: GraphNode, place: Place, halt: LazySignal): LazySignal;
  /** Aborts a node in progress. */
  abort(node: GraphNode, place: Place): void;
  /** Forgets the signal of a node that is not in progress any more. */
  ended(node: GraphNode, place: Place): void;
}

/** Creates the state of a run's early joins. @param records those of earlier workers. */
export function createEarlyJoins(records: ReadonlyMap<string, NodeRecord>): EarlyJoins {
  // All of them by `recordKey`.
  const decisions = new Map<string, JoinDecision>();
  const cancellable = new Map<string, NodeRecord>();
  const aborts = new Map<string, AbortController>();
  const keyOf = ({ id }: Pick<GraphNode, 'id'>, { iteration }: Place): string => recordKey(id, iteration);
  return {
    earlierDecision(record) {
      const decision = record && storedDecision(record);
      if (decision) decisions.set(recordKey(record.nodeId, record.iteration), decision);
      return decision;
    },
    decided(node, place, decision) {
      decisions.set(keyOf(node, place), decision);
    },
    stateOf(node, place) {
      if (!node.join?.cancels) return undefined;
      const decision = decisions.get(keyOf(node, place));
      return decision && storeDecision(decision);
    },
    recorded(node, record) {
      if (!node.isCancellable && !node.join) return;
      const key = recordKey(record.nodeId, record.iteration);
      if (node.isCancellable) {
        if (isInProgress(record) || records.has(key)) cancellable.set(key, record);
        else cancellable.delete(key);
      }
      // The join is settled: long loops do not keep the decisions of all iterations.
      if (node.join && (record.status === 'success' || record.status === 'failed')) decisions.delete(key);
    },
    lastRecordOf: (node, place) => cancellable.get(keyOf(node, place)),
    signalOf(node, place, halt) {
      if (!node.isCancellable) return halt;
      const key = keyOf(node, place);
      return lazy(() => {
        const abort = aborts.get(key) ?? new AbortController();
        aborts.set(key, abort);
        return AbortSignal.any([halt(), abort.signal]);
      });
    },
    abort(node, place) {
      aborts.get(keyOf(node, place))?.abort();
    },
    ended(node, place) {
      if (node.isCancellable) aborts.delete(keyOf(node, place));
    },
  };
}

/** Whether a record is of a node that has begun, or waits to, and has not ended. */
export function isInProgress({ status }: NodeRecord): boolean {
  return status === 'running' || status === 'waiting' || status === 'pending';
}
