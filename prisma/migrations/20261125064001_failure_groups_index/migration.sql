-- deckhand: no-transaction
-- The runs of a failure group. Others have no entry.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_texts_failure_group" ON "execution_texts" ("failure_group_id", "execution_id")
  WHERE "failure_group_id" IS NOT NULL;
