-- deckhand: no-transaction
-- Unfinished runs by key: those that hold a slot of it, and those that wait for one. Runs without a key have no entry.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_keys" ON "executions"
  ("holds_key", "workflow_id", "concurrency_key", "id")
  WHERE "concurrency_key" IS NOT NULL
    AND "status" IN ('pending', 'running', 'paused', 'waiting_for_input', 'waiting_for_human');
