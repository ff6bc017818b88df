-- deckhand: no-transaction
-- Unfinished runs by key, in the order of their acceptance: those that hold a slot of it, and those that wait for one.
-- Ids are not in that order: that of a child has the time of its parent. Runs without a key have no entry.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_key_order" ON "executions"
  ("holds_key", "workflow_id", "concurrency_key", "created_at", "id")
  WHERE "concurrency_key" IS NOT NULL
    AND "status" IN ('pending', 'running', 'paused', 'waiting_for_input', 'waiting_for_human');
