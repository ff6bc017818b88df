import { Prisma } from '../client.js';

/**
 * The parts of a statement that delete the runs of `taken`, whose ids they read, with all that belongs to them. Their
 * large outputs go by a trigger, which writes down those that another store has.
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
      DELETE FROM unindexed_executions x USING taken t WHERE x.execution_id = t.id
    ), no_parents AS (
      DELETE FROM stopped_parents s USING taken t WHERE s.execution_id = t.id
    ), deleted AS (
      DELETE FROM executions e USING taken t WHERE e.id = t.id
    )`;
