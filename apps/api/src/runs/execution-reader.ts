import { DeckhandError } from '@deckhand/contracts';
import { type Actor, type Database, readDefinition, readExecutions, type ReadExecutionRequest } from '@deckhand/db';
import { createBatcher } from '@deckhand/runtime';
import { savedNodes } from '../definitions.js';
import { executionJson } from './execution-json.js';

/** Reads runs for those who poll them. */
export interface ExecutionReader {
  /** A run as JSON text. @throws DeckhandError NOT_FOUND when it is not there or not visible. */
  read(actor: Actor, executionId: string, options: { isSlim: boolean }): Promise<string>;
}

const BATCH = { maxSize: 50, concurrency: 4 } as const;
/** Versions whose node ids are remembered; they never change. */
const VERSIONS_MAX = 1_000;

/** Reads that arrive together share one query. */
export function createExecutionReader(db: Database): ExecutionReader {
  const readOne = createBatcher({
    ...BATCH,
    flush: (requests: ReadExecutionRequest[]) => readExecutions(db, requests),
  });
  const nodeIdsOfVersions = new Map<string, readonly string[]>();

  async function nodeIdsOf(versionId: string): Promise<readonly string[]> {
    const known = nodeIdsOfVersions.get(versionId);
    if (known) return known;
    const nodeIds = savedNodes(await readDefinition(db, versionId)).map(({ id }) => id);
    const [oldest] = nodeIdsOfVersions.keys();
    if (nodeIdsOfVersions.size >= VERSIONS_MAX && oldest !== undefined) nodeIdsOfVersions.delete(oldest);
    nodeIdsOfVersions.set(versionId, nodeIds);
    return nodeIds;
  }

  return {
    async read(actor, executionId, { isSlim }) {
      const run = await readOne({ actor, executionId, isSlim });
      if (!run) throw new DeckhandError('NOT_FOUND', { message: 'No such run' });
      return executionJson(run, await nodeIdsOf(run.workflowVersionId));
    },
  };
}
