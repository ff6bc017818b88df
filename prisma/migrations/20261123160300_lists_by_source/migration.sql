-- deckhand: no-transaction
-- Sources that are rare in most workspaces; runs of the API and of webhooks, which come in great numbers, have no entry.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "executions_of_source" ON "executions"
  ("workspace_id", "source", (coalesce("started_at", "created_at")) DESC, "id" DESC)
  WHERE "source" IN ('editor', 'schedule', 'rerun', 'workflow');
