-- No column rewrites its table. Runs that were accepted before keep their deadline.
ALTER TABLE "executions" ADD COLUMN "time_left_ms" BIGINT,
ADD COLUMN "held_until" TIMESTAMPTZ(3);

ALTER TABLE "workflow_versions" ADD COLUMN "counts_held_time" BOOLEAN NOT NULL DEFAULT false;

-- Versions without a time limit of their own have the default one.
UPDATE "workflow_versions" SET "counts_held_time" = true WHERE "definition" -> 'settings' -> 'timeoutSeconds' IS NULL;
