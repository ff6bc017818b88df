-- deckhand: no-transaction
-- Lists filter and sort by when a run began or, if it never did, was created.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_in_workspace" ON "executions"
  ("workspace_id", (coalesce("started_at", "created_at")) DESC, "id" DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_of_workflow" ON "executions"
  ("workflow_id", (coalesce("started_at", "created_at")) DESC, "id" DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_with_status" ON "executions"
  ("workspace_id", "status", (coalesce("started_at", "created_at")) DESC, "id" DESC);
-- They replace these, which only lists of the version before used; it sorts without them, until it is replaced.
DROP INDEX CONCURRENTLY IF EXISTS "executions_workspace_id_started_at_id_idx";
DROP INDEX CONCURRENTLY IF EXISTS "executions_workflow_id_started_at_id_idx";
DROP INDEX CONCURRENTLY IF EXISTS "executions_workspace_id_status_started_at_idx";
-- What the planner knows of an expression is gathered for its index.
ANALYZE "executions";
