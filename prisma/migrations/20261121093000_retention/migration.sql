-- Finished runs by age, in one of two indexes: what still has data, and what has lost it and may go altogether.
CREATE INDEX "executions_with_data" ON "executions" ("finished_at")
  WHERE "finished_at" IS NOT NULL AND "trigger_data" IS NOT NULL;
CREATE INDEX "executions_without_data" ON "executions" ("finished_at")
  WHERE "finished_at" IS NOT NULL AND "trigger_data" IS NULL;

-- Runs that are being repeated.
CREATE INDEX "executions_repeated" ON "executions" ("rerun_of")
  WHERE "rerun_of" IS NOT NULL AND "finished_at" IS NULL;
