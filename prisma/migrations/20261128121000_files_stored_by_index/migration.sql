-- deckhand: no-transaction
-- Finds the files that a run has stored and nobody names yet.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "files_stored_by_idx" ON "files" ("stored_by") WHERE "expires_at" IS NOT NULL;
