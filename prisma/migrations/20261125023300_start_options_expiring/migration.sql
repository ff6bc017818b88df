-- deckhand: no-transaction
-- Runs that may expire, until they begin.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_expiring" ON "executions" ("expires_at")
  WHERE "expires_at" IS NOT NULL AND "started_at" IS NULL
    AND "status" IN ('pending', 'running', 'paused', 'waiting_for_input', 'waiting_for_human');
