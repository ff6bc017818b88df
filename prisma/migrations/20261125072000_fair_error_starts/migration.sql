-- The starts of a workspace in their order, so that each workspace gets its share of a batch.
CREATE INDEX "error_starts_workspace_id_next_attempt_at_idx" ON "error_starts"("workspace_id", "next_attempt_at");
