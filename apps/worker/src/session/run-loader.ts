import {
  type ClaimedExecution,
  endDueWaits,
  endNewWaits,
  loadIterations,
  loadNodeRuns,
  loadOpenNodeRuns,
  readVersionWithData,
  type StoredNodeRun,
} from '@deckhand/db';
import type { CompiledWorkflow, NodeRecord } from '@deckhand/engine';
import type { OutputStore } from '@deckhand/outputs';
import { loadOutputs, type NodeRunsWithOutputs } from '../checkpoints/large-outputs.ts';
import type { WorkerStores } from '../stores.ts';
import type { ActiveRun } from './active-runs.ts';
import type { WantedIterations } from './drive-run.ts';
import { createRecordsLoader } from './load-records.ts';
import { type EarlierRecords, NeededOutputGoneError, readAnswers, readRecords } from './records.ts';
import { createRecordsReader } from './reuse-records.ts';
import type { Versions } from './versions.ts';

/** Reads the data that a claimed run needs. */
export interface RunLoader {
  readonly loadVersion: (versionId: string) => Promise<CompiledWorkflow>;
  readonly loadRecords: (claimed: ClaimedExecution) => Promise<EarlierRecords>;
  /** Reads records of iterations that earlier workers finished. @throws NeededOutputGoneError */
  readonly loadIterations: (
    executionId: string,
    wanted: WantedIterations,
  ) => Promise<Pick<EarlierRecords, 'records' | 'outputBytes'>>;
  /**
   * Returns the run's own records and, for a rerun from a node, those that it reuses.
   * @throws SourceRunGoneError, NeededOutputGoneError
   */
  readonly withReused: (
    claimed: ClaimedExecution,
    own: ReadonlyMap<string, NodeRecord>,
  ) => Promise<ReadonlyMap<string, NodeRecord>>;
  /**
   * Stops the run if an event has come that does so, by a wait that is on disk. An event that comes later stops it,
   * too.
   * @returns whether it is stopped.
   */
  readonly stopByEvents: (executionId: string) => Promise<boolean>;
  /**
   * Ends the open waits of a run that are due, and hands those that have ended to the run.
   * @returns in how many ms the next wait is due; null when there is none.
   */
  readonly loadAnswers: (run: ActiveRun) => Promise<number | null>;
}

/** What reading the data of runs needs. */
export interface RunLoaderParts {
  readonly stores: Pick<WorkerStores, 'db' | 'retry'>;
  readonly outputs: OutputStore;
  readonly versions: Versions;
  /** Notifies workers and callers of runs that were stopped. */
  readonly onStopped: (executionIds: readonly string[]) => Promise<void>;
}

/** Creates the reader of what claimed runs need. */
export function createRunLoader({ stores: { db, retry }, outputs, versions, onStopped }: RunLoaderParts): RunLoader {
  const withOutputs = (read: () => Promise<StoredNodeRun[]>): Promise<NodeRunsWithOutputs> =>
    retry('records', async () => loadOutputs(outputs, await read()));
  const loadRows = (executionId: string) => withOutputs(() => loadNodeRuns(db, executionId));
  return {
    loadVersion: versions.load,
    loadRecords: createRecordsLoader({
      all: loadRows,
      open: (executionId, iterations) => withOutputs(() => loadOpenNodeRuns(db, executionId, iterations)),
    }),
    loadIterations: async (executionId, wanted) =>
      readRecords(await allOf(withOutputs(() => loadIterations(db, executionId, wanted)))),
    withReused: createRecordsReader({
      loadVersion: versions.load,
      loadNodeRuns: (executionId) => allOf(loadRows(executionId)),
      versionWithData: (executionId) => retry('source run', () => readVersionWithData(db, executionId)),
      readDefinition: versions.readDefinition,
    }),
    async loadAnswers(run) {
      const { waits, answerCount, nextDueInMs } = await retry('answers', () =>
        endDueWaits(db, run.executionId, run.openWaits()),
      );
      run.setAnswers(readAnswers(waits), answerCount);
      return nextDueInMs;
    },
    async stopByEvents(executionId) {
      const { stopped } = await retry('stopping events', () => endNewWaits(db, [executionId], { waitsForLocks: true }));
      await onStopped(stopped);
      return stopped.includes(executionId);
    },
  };
}

async function allOf(read: Promise<NodeRunsWithOutputs>): Promise<readonly StoredNodeRun[]> {
  const { rows, goneNodeId } = await read;
  if (goneNodeId !== undefined) throw new NeededOutputGoneError(goneNodeId);
  return rows;
}
