-- deckhand: no-transaction
-- Open waits for an event, by what they wait for.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "waits_for_events" ON "waits" ("workspace_id", "event_name", "event_key")
  WHERE "answered_at" IS NULL AND "event_name" IS NOT NULL;

-- The work list: waits for which the events before them have not been checked, workspace by workspace.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "waits_unchecked" ON "waits" ("workspace_id", "created_at")
  WHERE "answered_at" IS NULL AND "event_name" IS NOT NULL AND "events_checked_at" IS NULL;

-- Which events have ended waits of a run.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "waits_ended_by_events" ON "waits" ("execution_id", "event_id")
  WHERE "event_id" IS NOT NULL;
