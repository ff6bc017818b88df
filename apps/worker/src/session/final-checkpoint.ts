import type { FinishedEnding, RestingEnding } from '@deckhand/db';
import type { Ending, RecordedError, WaitRequest } from '@deckhand/engine';
import { type FinishedStatus, runError } from '@deckhand/contracts';
import type { Journal } from '../checkpoints/journal.ts';
import type { ActiveRun } from './active-run.ts';

const TIME_LIMIT_PASSED = runError('EXECUTION_TIMEOUT');
const UNCAUGHT_ERROR = runError('UNCAUGHT_ERROR');
const MEMORY_EXCEEDED = runError('MEMORY_EXCEEDED');

/** The outcome of a run's last checkpoint on this worker. */
export type FinalCheckpoint =
  /** The run has ended, and its end is on disk. */
  | { readonly kind: 'finished'; readonly status: FinishedStatus }
  /**
   * The run rests until a wait ends. `wakeAt`: when its next wait is due, in ms since the epoch. `waitsForChild`: one
   * of its waits ends when a child run finishes.
   */
  | { readonly kind: 'resting'; readonly wakeAt: number | null; readonly waitsForChild: boolean }
  /** The run was halted, paused or answered meanwhile: the caller releases it. */
  | { readonly kind: 'unfinished' };

/**
 * Writes how the run ends or rests.
 * @throws FencedError, CheckpointRefusedError or RetriesEndedError when nothing was written.
 */
export async function writeFinalCheckpoint(ending: Ending, run: ActiveRun, journal: Journal): Promise<FinalCheckpoint> {
  switch (ending.kind) {
    case 'success': {
      const result = ending.result && JSON.stringify(ending.result);
      return finish(journal, { kind: 'finished', status: 'success', error: null, result });
    }
    case 'failed':
      return finish(journal, failure('failed', ending.error, ending.nodeId));
    case 'halted':
      switch (run.haltReason()) {
        case 'timeout':
          return finish(journal, failure('timeout', TIME_LIMIT_PASSED, journal.currentNodeId()));
        case 'uncaughtError':
          return finish(journal, failure('failed', UNCAUGHT_ERROR, null));
        case 'memoryExceeded':
          return finish(journal, failure('failed', MEMORY_EXCEEDED, null));
        default:
          return { kind: 'unfinished' };
      }
    case 'waiting': {
      const resting = restingEnding(ending.waits, ending.answerCount);
      if ((await journal.rest(resting)) !== 'written') return { kind: 'unfinished' };
      const waitsForChild = ending.waits.some(({ kind }) => kind === 'workflow');
      return { kind: 'resting', wakeAt: resting.wakeAt, waitsForChild };
    }
  }
}

/** Returns the ending of a run that fails or times out. `nodeId`: the node that failed it, or at which it timed out. */
export function failure(status: 'failed' | 'timeout', error: RecordedError, nodeId: string | null): FinishedEnding {
  const { message, code } = error;
  return { kind: 'finished', status, error: JSON.stringify({ message, nodeId, code }), result: null };
}

async function finish(journal: Journal, ending: FinishedEnding): Promise<FinalCheckpoint> {
  const verdict = await journal.finish(ending);
  return verdict === 'written' ? { kind: 'finished', status: ending.status } : { kind: 'unfinished' };
}

function restingEnding(waits: readonly WaitRequest[], answerCount: number): RestingEnding {
  const kinds = new Set(waits.map(({ kind }) => kind));
  const due = waits.flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt]));
  return {
    kind: 'resting',
    status: kinds.has('approval') ? 'waiting_for_input' : kinds.has('human') ? 'waiting_for_human' : 'running',
    wakeAt: due.length > 0 ? Math.min(...due) : null,
    answerCount,
  };
}
