import { Prisma } from './client.ts';

/*
 * Locks are taken in one order everywhere, so that no two transactions wait for each other (PostgreSQL would end one of
 * them with 40P01, deadlock detected):
 *
 *     advisory locks of debounced keys ─▶ of keys ─▶ of slots, or of a lock ─▶ run_locks
 *       ─▶ workspaces ─▶ workflows ─▶ bulk_actions ─▶ events
 *       ─▶ executions ─▶ event_deliveries ─▶ event_endpoints ─▶ waits ─▶ node_iterations, node_runs
 *       ─▶ unindexed_executions ─▶ advisory locks of failure groups ─▶ failure_groups ─▶ run_days
 *       ─▶ execution_files ─▶ files ─▶ unfinished_files
 *
 * - Credentials are locked before their connection (`oauth2_connections`). A refresh locks the connection only.
 * - Several rows of a table are locked by one statement, by ascending key, before any of them is written. Without that
 *   an UPDATE or DELETE locks rows in whatever order its plan finds them.
 * - What belongs to one workspace, workflow or run (folders, versions and webhooks, node runs) is written under the
 *   lock of that row. A foreign key locks the row that it leads to, too: with each insert, and when one transaction
 *   updates a row twice.
 * - Background work, and whoever takes from a work list (`stopped_parents`, `error_starts`, `unindexed_executions`,
 *   `storage_changes`, `deleted_outputs`, `webhook_deliveries`, `events`, due `schedules`), leaves out what others have
 *   locked (SKIP LOCKED), and so waits for nobody. The one exception is a person who erases a run (`erase.ts`) and
 *   waits for its indexing.
 */

/** The end of a `SELECT … FROM executions e` that locks the runs it returns. */
export const LOCK_RUNS = Prisma.sql`ORDER BY e.id FOR UPDATE OF e`;

/** The same for background work: skips the runs that other transactions have locked. Its next pass finds them. */
export const LOCK_FREE_RUNS = Prisma.sql`${LOCK_RUNS} SKIP LOCKED`;
