-- Responses of runs to their callers. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN "responded_by" TEXT, ADD COLUMN "response" TEXT;
