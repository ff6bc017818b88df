import type { JsonValue, NodeStatus } from '@deckhand/contracts';

/** Why a node run failed, as it is kept and shown. */
export interface RecordedError {
  readonly message: string;
  readonly code: string;
}

/**
 * What a checkpoint says of one node run: told by the engine as it happens, handed back to it when another worker goes
 * on. Times are ms since the epoch.
 */
export interface NodeRecord {
  readonly nodeId: string;
  /** "" outside loops, "3" inside one, "3.1" inside two. */
  readonly iteration: string;
  readonly status: Exclude<NodeStatus, 'stopped'>;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Attempts begun so far. */
  readonly attempts: number;
  readonly handle: string | null;
  /** Undefined while there is none. */
  readonly output: JsonValue | undefined;
  readonly error: RecordedError | null;
  /** What an unfinished node needs to go on: a loop's items. */
  readonly state: JsonValue | undefined;
  /** Debug mode: what the node was given. */
  readonly debug: JsonValue | undefined;
}

/** Where a record is found: a node and its iteration. */
export function recordKey(nodeId: string, iteration: string): string {
  return `${nodeId}/${iteration}`;
}
