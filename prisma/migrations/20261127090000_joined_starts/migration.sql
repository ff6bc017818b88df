-- When a debounced start was last joined with the run. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN     "joined_at" TIMESTAMPTZ(3);
