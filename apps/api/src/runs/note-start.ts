import { type Database, recordStart } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { LRUCache } from 'lru-cache';
import type { KeyCaller } from '../auth/caller.js';

/** Puts on record that a key started a run of a workflow. Never rejects: the run was accepted before. */
export type NoteStart = (caller: KeyCaller, workflowId: string, executionId: string) => Promise<void>;

/** A record of every start would cost a write per run. */
const NOTED_FOR_MS = 60 * 60 * 1_000;
const REMEMBERED = 20_000;

/** Notes who starts runs of what, from where: once an hour for each key, workflow and address, and process. */
export function createNoteStart({ db, logger }: { db: Database; logger: Logger }): NoteStart {
  const noted = new LRUCache<string, true>({ max: REMEMBERED, ttl: NOTED_FOR_MS });
  return async (caller, workflowId, executionId) => {
    const what = [caller.apiKeyId, workflowId, caller.origin?.().address].join(' ');
    if (noted.has(what)) return;
    noted.set(what, true);
    try {
      await recordStart(db, caller, workflowId, executionId);
    } catch (err) {
      noted.delete(what);
      logger.error({ err, workflowId, executionId, apiKeyId: caller.apiKeyId }, 'a start could not be put on record');
    }
  };
}
