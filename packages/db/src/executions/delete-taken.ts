import { Prisma } from '../client.js';

/**
 * Returns the parts of a statement that delete the runs of `taken`, which contains their ids, with all rows that belong
 * to them. A trigger handles their large outputs: it records those that another store has. Locked rows of work lists
 * are left to the process that locked them.
 */
export const deletionOfTaken = Prisma.sql`deleted_nodes AS (
      DELETE FROM node_runs n USING taken t WHERE n.execution_id = t.id
    ), deleted_iterations AS (
      DELETE FROM node_iterations n USING taken t WHERE n.execution_id = t.id
    ), deleted_waits AS (
      DELETE FROM waits w USING taken t WHERE w.execution_id = t.id
    ), deleted_texts AS (
      DELETE FROM execution_texts x USING taken t WHERE x.execution_id = t.id
    ), unsearched AS (
      DELETE FROM unindexed_executions WHERE execution_id IN (
        SELECT x.execution_id FROM unindexed_executions x JOIN taken t ON t.id = x.execution_id FOR UPDATE OF x SKIP LOCKED)
    ), no_parents AS (
      DELETE FROM stopped_parents WHERE execution_id IN (
        SELECT s.execution_id FROM stopped_parents s JOIN taken t ON t.id = s.execution_id FOR UPDATE OF s SKIP LOCKED)
    ), no_families AS (
      DELETE FROM run_families f USING taken t WHERE f.root_execution_id = t.id
    ), deleted AS (
      DELETE FROM executions e USING taken t WHERE e.id = t.id
    )`;
