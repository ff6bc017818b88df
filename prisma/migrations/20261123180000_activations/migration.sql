-- deckhand: no-transaction
-- The history of a workflow's activations is a part of the audit log.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_log_activations" ON "audit_log" ("resource_id", "id" DESC)
  WHERE "action" = 'workflow.activation';
