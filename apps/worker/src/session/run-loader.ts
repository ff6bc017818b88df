import {
  endDueWaits,
  endNewWaits,
  loadIterations,
  loadNodeRuns,
  loadOpenNodeRuns,
  readVersionWithData,
  type StoredNodeRun,
} from '@deckhand/db';
import type { OutputStore } from '@deckhand/outputs';
import { loadOutputs, type NodeRunsWithOutputs } from '../checkpoints/large-outputs.ts';
import type { WorkerStores } from '../stores.ts';
import { createRecordsLoader } from './load-records.ts';
import { NeededOutputGoneError, readAnswers, readRecords } from './records.ts';
import { createRecordsReader } from './reuse-records.ts';
import type { RunLoader } from './run-session.ts';
import type { Versions } from './versions.ts';

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
