import { type Database, recordStart } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { LRUCache } from 'lru-cache';
import type { KeyCaller } from '../auth/caller.ts';

/** Records in the audit log that a key started a run of a workflow. Never rejects: the run is accepted already. */
export type NoteStart = (caller: KeyCaller, workflowId: string, executionId: string) => Promise<void>;

/** How long one record covers further starts. A record of every start would cost a write per run. */
const COVERED_MS = 60 * 60 * 1_000;
const MAX_REMEMBERED = 20_000;

/** Creates a recorder that writes one entry per hour for each key, workflow, address and process. */
export function createNoteStart({ db, logger }: { db: Database; logger: Logger }): NoteStart {
  const recorded = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: COVERED_MS });
  return async (caller, workflowId, executionId) => {
    const key = [caller.apiKeyId, workflowId, caller.origin?.().address].join(' ');
    if (recorded.has(key)) return;
    recorded.set(key, true);
    try {
      await recordStart(db, caller, workflowId, executionId);
    } catch (err) {
      recorded.delete(key);
      logger.error(
        { err, workflowId, executionId, apiKeyId: caller.apiKeyId },
        'audit record of a start could not be written',
      );
    }
  };
}
