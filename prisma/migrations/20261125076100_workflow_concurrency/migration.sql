-- settings.concurrency of versions, for the statements that accept runs. Without a default, no row is rewritten.
ALTER TABLE "workflow_versions" ADD COLUMN "concurrency" JSON;
