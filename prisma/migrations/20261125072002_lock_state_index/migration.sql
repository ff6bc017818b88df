-- deckhand: no-transaction
-- Runs whose locks have to be given to others. Runs that never requested a lock have no entry.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_lock_changes" ON "executions" ("id")
  WHERE "lock_state" = 2 OR ("lock_state" = 1 AND "finished_at" IS NOT NULL);
