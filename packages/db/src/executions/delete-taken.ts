import { Prisma } from '../client.js';

/**
 * The parts of a statement that delete the runs of `taken`, whose ids they read, with all that belongs to them. Their
 * large outputs go by a trigger, which writes down those that another store has. Rows of work lists that are taken are
 * left to whoever took them.
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
