-- The priority of a run in the queue. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN "priority" SMALLINT;
