import type { Database } from '../client.js';
import type { OnStopped } from '../executions/stop.js';
import { stopWhere } from '../executions/stop-many.js';
import { operatorConditions, type OperatorFilter } from './filter.js';

/**
 * Stops the unfinished runs that match, in all workspaces, and their descendants, as when a person stops them.
 * @param onStopped called with each batch, so that workers are notified while the rest is stopped.
 * @returns how many were stopped, descendants included.
 */
export function stopRuns(db: Database, filter: OperatorFilter, onStopped: OnStopped): Promise<number> {
  return stopWhere(db, operatorConditions(filter), onStopped);
}
