-- deckhand: no-transaction
-- Unfinished runs of schedules, which a schedule counts before its next run.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_scheduled" ON "executions" ("workflow_id", "trigger_node_id")
  WHERE "source" = 'schedule' AND "status" IN ('pending', 'running', 'paused', 'waiting_for_input', 'waiting_for_human');
