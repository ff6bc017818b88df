import { isJsonObject, type JsonValue, type NodeStatus, parseJson } from '@deckhand/contracts';
import type { EndedWait, StoredNodeRun } from '@deckhand/db';
import { type NodeRecord, type RecordedError, recordKey, type WaitAnswer, waitKey } from '@deckhand/engine';
import type { NodeTally } from '../checkpoints/journal.js';

/** What earlier workers left of a run. */
export interface EarlierRecords {
  readonly records: Map<string, NodeRecord>;
  readonly tallies: Map<string, NodeTally>;
  /** Of their outputs, as JSON. */
  readonly outputBytes: number;
  /** The node of an output that is gone from its store; undefined while all are there. */
  readonly goneNodeId?: string | undefined;
}

/** A run cannot go on without an output of this node, which somebody deleted from its store. */
export class NeededOutputGoneError extends Error {
  override readonly name = 'NeededOutputGoneError';
  readonly nodeId: string;

  constructor(nodeId: string) {
    super(`the output of ${nodeId} is gone from its store`);
    this.nodeId = nodeId;
  }
}

/**
 * Turns the rows of a run into the engine's records. Summaries of nodes inside loops become tallies.
 * @param use whether that run is gone on with, or another one takes over from it.
 */
export function readRecords(rows: readonly StoredNodeRun[], use: 'resume' | 'rerun' = 'resume'): EarlierRecords {
  const records = new Map<string, NodeRecord>();
  const tallies = new Map<string, NodeTally>();
  const countsOf = countIterations(rows);
  let outputBytes = 0;
  for (const row of rows) {
    if (row.iterations !== null) {
      tallies.set(row.nodeId, {
        iterations: row.iterations,
        startedAt: row.startedAt?.getTime() ?? null,
        lastIteration: '',
        counts: countsOf.get(row.nodeId) ?? new Map<NodeStatus, number>(),
      });
      continue;
    }
    outputBytes += row.output?.length ?? 0;
    // What a finished run left unfinished another one may go on with.
    const status = row.status === 'stopped' && use === 'rerun' ? 'running' : row.status;
    // Nothing goes on after `stopped`.
    if (status === 'stopped') continue;
    records.set(recordKey(row.nodeId, row.iteration), {
      nodeId: row.nodeId,
      iteration: row.iteration,
      status,
      startedAt: row.startedAt?.getTime() ?? null,
      finishedAt: row.finishedAt?.getTime() ?? null,
      attempts: row.attempts,
      handle: row.handle,
      output: parse(row.output),
      error: readError(parse(row.error)),
      state: parse(row.state),
      debug: undefined,
    });
  }
  return { records, tallies, outputBytes };
}

/** How many iterations of each node have which status. */
function countIterations(rows: readonly StoredNodeRun[]): Map<string, Map<NodeStatus, number>> {
  const counts = new Map<string, Map<NodeStatus, number>>();
  for (const { nodeId, iteration, status } of rows) {
    if (iteration === '') continue;
    const ofNode = counts.get(nodeId) ?? new Map<NodeStatus, number>();
    ofNode.set(status, (ofNode.get(status) ?? 0) + 1);
    counts.set(nodeId, ofNode);
  }
  return counts;
}

/** Turns ended waits into the engine's answers, by wait key. */
export function readAnswers(waits: readonly EndedWait[]): Map<string, WaitAnswer> {
  return new Map(
    waits.map(({ answer, ...wait }): [string, WaitAnswer] => [
      waitKey(wait),
      answer === null ? { kind: 'expired' } : { kind: 'answered', value: parse(answer) ?? null },
    ]),
  );
}

function parse(text: string | null): JsonValue | undefined {
  return text === null ? undefined : parseJson(text);
}

function readError(value: JsonValue | undefined): RecordedError | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const { message, code } = value;
  return typeof message === 'string' && typeof code === 'string' ? { message, code } : null;
}
