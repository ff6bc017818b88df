-- What maintenance has to know of a run's locks. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN "lock_state" SMALLINT;
