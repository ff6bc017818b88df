import { DeckhandError, type EntryView, maskHeaders } from '@deckhand/contracts';
import {
  type Actor,
  type Database,
  type ExecutionRecord,
  readDefinition,
  readExecutions,
  readLargeValues,
  type ReadExecutionRequest,
  type ReadStateRequest,
  readVisibleStates,
  type VisibleState,
} from '@deckhand/db';
import { createFairSemaphore } from '@deckhand/nodes';
import { createBatcher, nextSlice } from '@deckhand/runtime';
import { LRUCache } from 'lru-cache';
import { savedNodes } from '../definitions.ts';
import { executionEntryJson, executionJson } from './execution-json.ts';

/** A run as an entry of a list. */
export interface ExecutionEntryView {
  readonly run: ExecutionRecord;
  /** The entry as JSON text. */
  readonly json: string;
}

/** A run as a caller sees it, with the state that this view shows. */
export interface ExecutionView extends VisibleState {
  /** The run as JSON text. */
  readonly json: string;
}

/**
 * Reads runs for callers that poll them. Throws a DeckhandError NOT_FOUND for a run that does not exist or is not
 * visible.
 */
export interface ExecutionReader {
  read(actor: Actor, executionId: string, options: { isSlim: boolean }): Promise<ExecutionView>;
  /** Returns the result of a run, of any size, as JSON text; "null" while there is none. */
  readResult(actor: Actor, executionId: string): Promise<string>;
  /** Returns the state of a run, which costs much less than reading the run. */
  state(actor: Actor, executionId: string): Promise<VisibleState>;
  /**
   * Returns runs as entries of a list, in the order of their ids, without those that are not visible.
   * @param source the database that the runs are read from.
   */
  readEntries(
    actor: Actor,
    executionIds: readonly string[],
    view: EntryView,
    source: Database,
  ): Promise<ExecutionEntryView[]>;
}

/** How many runs of a list are read first, to learn how many nodes such runs have. */
const FIRST_ENTRIES = 20;
/** Approximate number of nodes in a list, beyond which runs are shown without their progress. */
const MAX_ENTRY_NODES = 50_000;
const BATCH = { maxSize: 50, concurrency: 4 } as const;
/** How many runs with large values are read at the same time, and how many of them for one caller. */
const MAX_LARGE_READS = 4;
const MAX_LARGE_READS_OF_CALLER = 2;
const STATE_BATCH = { maxSize: 500, concurrency: 2 } as const;
/** Versions whose node ids are remembered, which never change, and all their ids. */
const MAX_VERSIONS = 1_000;
const MAX_NODE_IDS = 500_000;

/** Reads that arrive together share one query. */
export function createExecutionReader(db: Database): ExecutionReader {
  const readOne = createBatcher({
    ...BATCH,
    flush: (requests: ReadExecutionRequest[]) => readExecutions(db, requests),
  });
  const stateOf = createBatcher({
    ...STATE_BATCH,
    flush: (requests: ReadStateRequest[]) => readVisibleStates(db, requests),
  });
  const nodeIdsOfVersions = new LRUCache<string, readonly string[]>({
    max: MAX_VERSIONS,
    maxSize: MAX_NODE_IDS,
    sizeCalculation: ({ length }) => length + 1,
    ignoreFetchAbort: true,
    fetchMethod: async (versionId) => savedNodes(await readDefinition(db, versionId)).map(({ id }) => id),
  });
  const nodeIdsOf = (versionId: string): Promise<readonly string[]> => nodeIdsOfVersions.forceFetch(versionId);

  const large = createFairSemaphore(MAX_LARGE_READS, MAX_LARGE_READS_OF_CALLER);

  /**
   * Adds values that were left out because of their size. Serializing and sending them takes long: once it returns, the
   * caller has a slice of the event loop for that.
   */
  async function withLargeValues(
    actor: Actor,
    run: ExecutionRecord,
    { trigger, result }: { readonly trigger: boolean; readonly result: boolean },
  ): Promise<ExecutionRecord> {
    if (!trigger && !result) return run;
    const release = await large.acquire(actor.userId, new AbortController().signal);
    try {
      const values = await readLargeValues(db, actor, { executionId: run.id, trigger, result });
      if (!values) throw noSuchRun();
      await nextSlice();
      return {
        ...run,
        ...(trigger ? { triggerJson: values.triggerJson, isTriggerOmitted: false } : {}),
        ...(result ? { resultJson: values.resultJson, isResultOmitted: false } : {}),
      };
    } finally {
      release();
    }
  }

  return {
    async read(actor, executionId, { isSlim }) {
      const found = await readOne({ actor, executionId, isSlim });
      if (!found) throw noSuchRun();
      const nodeIds = await nodeIdsOf(found.workflowVersionId);
      const wanted = { trigger: found.isTriggerOmitted, result: found.isResultOmitted && !isSlim };
      const run = await withLargeValues(actor, found, wanted);
      const json = executionJson(run, nodeIds);
      return { json, status: run.status, revision: run.revision, workspaceId: run.workspaceId };
    },
    async readResult(actor, executionId) {
      const found = await readOne({ actor, executionId, isSlim: true, progress: 'none' });
      if (!found) throw noSuchRun();
      const run = await withLargeValues(actor, found, { trigger: false, result: found.isResultOmitted });
      return maskHeaders(run.resultJson ?? 'null');
    },
    async state(actor, executionId) {
      const state = await stateOf({ actor, executionId });
      if (!state) throw noSuchRun();
      return state;
    },
    async readEntries(actor, executionIds, view, source) {
      const wanted = view.fields && !view.fields.includes('progress') ? 'none' : view.progress;
      const entries: ExecutionEntryView[] = [];
      let nodes = 0;
      for (let done = 0; done < executionIds.length;) {
        // Counts are small, however many nodes they count.
        const progress = wanted === 'nodes' && nodes >= MAX_ENTRY_NODES ? 'none' : wanted;
        // How many runs fit into the rest, if they have as many nodes as the runs before.
        const fitting = Math.ceil(((MAX_ENTRY_NODES - nodes) / Math.max(nodes, 1)) * done);
        const count = progress !== 'nodes' ? executionIds.length : done === 0 ? FIRST_ENTRIES : fitting;
        const asked = executionIds.slice(done, done + count);
        const request = { actor, isSlim: true, progress } as const;
        const found = await readExecutions(
          source,
          asked.map((executionId) => ({ ...request, executionId })),
        );
        for (const run of found) {
          if (!run) continue;
          const nodeIds = progress === 'none' ? undefined : await nodeIdsOf(run.workflowVersionId);
          nodes += nodeIds?.length ?? 0;
          entries.push({ run, json: executionEntryJson(run, nodeIds, view.fields) });
        }
        done += asked.length;
      }
      return entries;
    },
  };
}

function noSuchRun(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such run' });
}
