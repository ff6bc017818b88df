-- deckhand: no-transaction
-- Callbacks of a run, whose URLs are deleted together with its data.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "event_deliveries_callbacks" ON "event_deliveries" ("execution_id") WHERE "url" IS NOT NULL;
