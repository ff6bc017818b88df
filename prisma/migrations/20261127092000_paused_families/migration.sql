-- The run whose pause reached a run that it, or one of its sub-workflows, started. Without a default, no row is
-- rewritten.
ALTER TABLE "executions" ADD COLUMN     "paused_with" UUID;
