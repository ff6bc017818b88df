-- When a delayed run starts, and when a run expires that has not begun. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN "start_at" TIMESTAMPTZ(3), ADD COLUMN "expires_at" TIMESTAMPTZ(3);
