-- Limits of concurrent runs by a key. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN "concurrency_key" TEXT, ADD COLUMN "concurrency_limit" SMALLINT,
  ADD COLUMN "holds_key" BOOLEAN;
