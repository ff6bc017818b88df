import { isJsonObject, type JsonValue, NODE_STATUSES, type NodeStatus, parseJson } from '@deckhand/contracts';
import type { EndedWait, StoredNodeRun } from '@deckhand/db';
import { type LoopPosition, type NodeRecord, recordKey, type WaitAnswer, waitKey } from '@deckhand/engine';
import { readAttempts, readError } from '../checkpoints/node-rows.ts';
import type { NodeTally } from '../checkpoints/node-tally.ts';

/** What earlier workers recorded of a run. */
export interface EarlierRecords {
  readonly records: Map<string, NodeRecord>;
  readonly tallies: Map<string, NodeTally>;
  /** Positions of loops in progress, by key: of these, only iterations in progress are among the records. */
  readonly positions: ReadonlyMap<string, LoopPosition>;
  /** Size of the outputs, as JSON. */
  readonly outputBytes: number;
  /** A node whose output is missing from the output store; undefined if none is. */
  readonly goneNodeId?: string | undefined;
}

/** A run cannot continue, because an output of this node was deleted from the output store. */
export class NeededOutputGoneError extends Error {
  override readonly name = 'NeededOutputGoneError';
  readonly nodeId: string;

  constructor(nodeId: string) {
    super(`the output of ${nodeId} is gone from its store`);
    this.nodeId = nodeId;
  }
}

/**
 * Converts the rows of a run to the engine's records. Summaries of nodes inside loops become tallies.
 * @param use `resume`: the run itself continues; `rerun`: another run reuses its records.
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
        outputBytes: row.outputBytes ?? 0,
        counts: readCounts(row.iterationCounts) ?? countsOf.get(row.nodeId) ?? new Map<NodeStatus, number>(),
      });
      continue;
    }
    outputBytes += row.output?.length ?? 0;
    // A rerun may continue a node that was stopped when its source run ended.
    const status = row.status === 'stopped' && use === 'rerun' ? 'running' : row.status;
    records.set(recordKey(row.nodeId, row.iteration), {
      nodeId: row.nodeId,
      iteration: row.iteration,
      status,
      startedAt: row.startedAt?.getTime() ?? null,
      finishedAt: row.finishedAt?.getTime() ?? null,
      attempts: row.attempts,
      attemptHistory: readAttempts(parse(row.attemptHistory)),
      handle: row.handle,
      output: parse(row.output),
      error: readError(parse(row.error)),
      state: parse(row.state),
      debug: undefined,
    });
  }
  return { records, tallies, positions: new Map(), outputBytes };
}

/** Parses the counts in the summary of a node; undefined if an earlier version wrote it, without counts. */
function readCounts(text: string | null): Map<NodeStatus, number> | undefined {
  const counts = parse(text);
  if (counts === undefined || !isJsonObject(counts)) return undefined;
  return new Map(
    NODE_STATUSES.flatMap((status): [NodeStatus, number][] => {
      const count = counts[status];
      return typeof count === 'number' ? [[status, count]] : [];
    }),
  );
}

/** Counts the iterations of each node by status. */
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

/** Converts ended waits to the engine's answers, by wait key. */
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
