/**
 * Records what becomes of the nodes of a run, and finds what earlier workers recorded.
 *
 * 1. A node that one iteration skips, or that is cancelled before it began, has a record outside of loops only.
 * 2. A node that is cancelled after it had begun is recorded as stopped, whether it began here or at an earlier worker.
 *    A rerun may continue a container, so that its record keeps its state.
 * 3. The decision of an early join is in one checkpoint with the records of what it cancels, and in every further
 *    record of its node until that is settled.
 * 4. Each loop in progress has a position: that of the scheduler, or of an earlier worker until it is reached.
 */
import type { JsonValue } from '@deckhand/contracts';
import type { GraphNode, Region } from '../compile/graph.ts';
import type { NodeFailure } from '../node-failure.ts';
import { recorded } from './failure.ts';
import type { InFlight } from './in-flight.ts';
import {
  isFinished,
  isSettled,
  storedDecision,
  storeDecision,
  type LoopPosition,
  type NodeRecord,
  recordKey,
} from './records.ts';
import { isCut } from './nodes-until.ts';
import type { RunRequest } from './ports.ts';
import { ended, type Kept, type Progress } from './progress.ts';
import type { SchedulerPorts } from './scheduler.ts';
import { isAdded, type JoinDecision, type Scope, type Task } from './scope.ts';

type Place = Pick<Scope, 'iteration'>;

/** What a record has beside the progress of its node. */
export interface RecordedResult {
  readonly output?: JsonValue | undefined;
  readonly handle?: string | undefined;
  readonly failure?: NodeFailure | undefined;
  readonly state?: JsonValue | undefined;
}

/** The records of a run. */
export class Recorder implements SchedulerPorts {
  readonly #request: RunRequest;
  readonly #inFlight: InFlight;
  // All of them by `recordKey`.
  readonly #containerStarts = new Map<string, number>();
  /** Positions of loops that this worker has not reached yet. */
  readonly #unreached: Map<string, LoopPosition>;
  /** Decisions of early joins that are not settled yet. */
  readonly #decisions = new Map<string, JoinDecision>();
  /** The last record of each node that may be cancelled, if it is in progress or resumed. */
  readonly #cancellable = new Map<string, NodeRecord>();

  constructor(request: RunRequest, inFlight: InFlight) {
    this.#request = request;
    this.#inFlight = inFlight;
    this.#unreached = new Map(request.positions);
  }

  /** Returns what an earlier worker recorded for a node. */
  find(node: GraphNode, { iteration }: Place): NodeRecord | undefined {
    const { records } = this.#request;
    return records.size === 0 ? undefined : records.get(recordKey(node.id, iteration));
  }

  /** Records a step of a node. @param progress undefined for a node that did not run. */
  note(
    node: GraphNode,
    { iteration }: Place,
    status: NodeRecord['status'],
    progress: Kept | undefined,
    { output, handle, failure, state }: RecordedResult,
  ): NodeRecord {
    const { ports } = this.#request;
    const finishedAt = status === 'success' || status === 'failed' || status === 'stopped' ? ports.now() : null;
    const error = failure ? recorded(failure) : null;
    const history = progress?.attemptHistory;
    const record: NodeRecord = {
      nodeId: node.id,
      iteration,
      status,
      startedAt: progress?.startedAt ?? null,
      finishedAt,
      attempts: progress?.attempts ?? 0,
      attemptHistory: finishedAt === null ? history : ended(history, finishedAt, error),
      handle: handle ?? null,
      output,
      error,
      state: state ?? this.#stateOfJoin(node, iteration),
      debug: progress?.debug,
    };
    if (node.isCancellable || node.join) this.#keep(node, record);
    ports.record(record);
    return record;
  }

  /** Keeps when a container started that is about to begin. @param state undefined for a loop without items. */
  noteContainer({ node, scope }: Task, progress: Progress, state: JsonValue | undefined): void {
    this.#containerStarts.set(recordKey(node.id, scope.iteration), progress.startedAt);
    if (state !== undefined) this.note(node, scope, 'running', progress, { state });
  }

  /** Returns when a container in progress started, in ms since the epoch. */
  startOf(node: GraphNode, scope: Scope): number {
    const started = this.#containerStarts.get(recordKey(node.id, scope.iteration));
    return started ?? this.find(node, scope)?.startedAt ?? this.#request.ports.now();
  }

  /** Returns where an earlier worker left a loop, until `reached` is called. */
  positionOf({ node, scope }: Task): LoopPosition | undefined {
    return this.#unreached.get(recordKey(node.id, scope.iteration));
  }

  /** Forgets where an earlier worker left a loop: the scheduler has its position now. */
  reached({ node, scope }: Task): void {
    this.#unreached.delete(recordKey(node.id, scope.iteration));
  }

  /** Returns the positions of the loops that no task has reached yet. */
  unreached(): Iterable<LoopPosition> {
    return this.#unreached.values();
  }

  stepBegan(node: GraphNode, scope: Scope): void {
    this.#containerStarts.set(recordKey(node.id, scope.iteration), this.#request.ports.now());
  }

  stepEnded(node: GraphNode, scope: Scope, told: JsonValue, handle: string | undefined): void {
    const startedAt = this.startOf(node, scope);
    this.#containerStarts.delete(recordKey(node.id, scope.iteration));
    this.note(node, scope, 'success', { startedAt, attempts: 1 }, { output: told, handle });
  }

  earlierStep(node: GraphNode, scope: Scope): JsonValue | undefined {
    const record = this.find(node, scope);
    return record?.status === 'success' ? (record.output ?? null) : undefined;
  }

  skipped(node: GraphNode, scope: Scope): void {
    // A node that one iteration skips may run in the next.
    if (scope.iteration === '' && !this.find(node, scope)) this.note(node, scope, 'skipped', undefined, {});
  }

  containerDone(node: GraphNode, scope: Scope, output: JsonValue, handle: string | undefined): void {
    if (this.find(node, scope)?.status === 'success') return;
    const startedAt = this.startOf(node, scope);
    this.#containerStarts.delete(recordKey(node.id, scope.iteration));
    this.note(node, scope, 'success', { startedAt, attempts: 1 }, { output, handle });
  }

  joined(node: GraphNode, scope: Scope, decision: JoinDecision): void {
    this.#decisions.set(recordKey(node.id, scope.iteration), decision);
    // In one checkpoint with the records of what it cancels: a resumed run must not begin those again.
    this.note(node, scope, 'pending', undefined, {});
  }

  cancelled(node: GraphNode, scope: Scope): void {
    const key = recordKey(node.id, scope.iteration);
    const last = this.#cancellable.get(key) ?? this.find(node, scope);
    this.#unreached.delete(key);
    if (!last) this.#noteSkipped(node, scope);
    else if (isInProgress(last)) this.#noteStopped(node, scope, last);
    if (last && node.body && this.#request.records.size > 0) this.#stopInside(node.body, scope);
    this.#inFlight.abort(node, scope);
  }

  earlierDecision(node: GraphNode, scope: Scope): JoinDecision | undefined {
    const record = this.find(node, scope);
    const decision = record && storedDecision(record);
    if (decision) this.#decisions.set(recordKey(node.id, scope.iteration), decision);
    return decision;
  }

  isSettled(node: GraphNode, scope: Scope): boolean {
    return isSettled(this.find(node, scope));
  }

  isLeftOut(node: GraphNode, scope: Scope): boolean {
    const { until } = this.#request;
    return until !== undefined && !until.has(node.id) && !isFinished(this.find(node, scope));
  }

  isCut(node: GraphNode): boolean {
    return isCut(node, this.#request.until);
  }

  #stateOfJoin(node: GraphNode, iteration: string): JsonValue | undefined {
    if (!node.join?.cancels) return undefined;
    const decision = this.#decisions.get(recordKey(node.id, iteration));
    return decision && storeDecision(decision);
  }

  #keep(node: GraphNode, record: NodeRecord): void {
    const key = recordKey(record.nodeId, record.iteration);
    if (node.isCancellable) {
      if (isInProgress(record) || this.#request.records.has(key)) this.#cancellable.set(key, record);
      else this.#cancellable.delete(key);
    }
    // The join is settled: long loops do not keep the decisions of all iterations.
    if (node.join && (record.status === 'success' || record.status === 'failed')) this.#decisions.delete(key);
  }

  #noteSkipped(node: GraphNode, scope: Scope): void {
    this.skipped(node, scope);
    for (const inner of node.body?.nodes ?? []) if (!isAdded(inner)) this.#noteSkipped(inner, scope);
  }

  #noteStopped(node: GraphNode, place: Place, last: NodeRecord): void {
    const { state } = last;
    this.note(node, place, 'stopped', last, node.body && state !== undefined ? { state } : {});
  }

  /** Stops the nodes in a container that is cancelled before its records are replayed: no scope of them is open. */
  #stopInside(body: Region, { iteration }: Scope): void {
    const { records, workflow } = this.#request;
    for (const [key, record] of records) {
      const node = workflow.nodes.get(record.nodeId) ?? addedById(body, record.nodeId);
      const isOfScope = iteration === '' || `${record.iteration}.`.startsWith(`${iteration}.`);
      if (!node || !isOfScope || !isAround(body, node) || !isInProgress(record)) continue;
      const last = this.#cancellable.get(key) ?? record;
      if (isInProgress(last)) this.#noteStopped(node, record, last);
    }
  }
}

/** Returns a node that is added to an agent in a region, or in containers in it, by its id. */
function addedById(region: Region, id: string): GraphNode | undefined {
  for (const node of region.nodes) {
    const found = isAdded(node) && node.id === id ? node : node.body && addedById(node.body, id);
    if (found) return found;
  }
  return undefined;
}

/** Whether a record is of a node that has begun, or waits to, and has not ended. */
function isInProgress({ status }: NodeRecord): boolean {
  return status === 'running' || status === 'waiting' || status === 'pending';
}

/** Whether a region, or a container in it, contains the node. */
function isAround(region: Region, node: GraphNode): boolean {
  for (let at: Region | undefined = node.region; at; at = at.container?.region) if (at === region) return true;
  return false;
}
