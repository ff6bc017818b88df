-- deckhand: no-transaction
-- Administrators list the audit log of the whole instance.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_log_at_id_idx" ON "audit_log" ("at" DESC, "id" DESC);
