-- deckhand: no-transaction
-- Runs without tags or metadata have no entry.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_tags" ON "executions"
  USING GIN ("workspace_id", "tags") WHERE "tags" IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_metadata" ON "executions"
  USING GIN ("workspace_id", "metadata_hashes"("metadata")) WHERE "metadata" IS NOT NULL;
