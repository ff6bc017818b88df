import type { Database } from '../client.js';
import type { OnStopped } from '../executions/stop.js';
import { stopWhere } from '../executions/stop-many.js';
import { operatorConditions, type OperatorFilter } from './filter.js';

/**
 * Stops the unfinished runs that fit, whoever they belong to, with those that they started: the same as when a person
 * stops them.
 * @param onStopped told of each batch, so that workers hear of it while the rest is stopped.
 * @returns how many were stopped, those that others had started included.
 */
export function stopRuns(db: Database, filter: OperatorFilter, onStopped: OnStopped): Promise<number> {
  return stopWhere(db, operatorConditions(filter), onStopped);
}
