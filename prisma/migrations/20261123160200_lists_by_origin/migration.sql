-- deckhand: no-transaction
-- Lists filter by what a run repeats, and by the modes and sources that are rare: the others are found soon in the
-- order of a list.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_reruns" ON "executions" ("rerun_of") WHERE "rerun_of" IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_of_mode" ON "executions"
  ("workspace_id", "execution_mode", (coalesce("started_at", "created_at")) DESC, "id" DESC)
  WHERE "execution_mode" <> 'normal';
