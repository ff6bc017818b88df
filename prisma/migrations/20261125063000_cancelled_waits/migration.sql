-- Waits of nodes that the run cancelled. Without a default, no row is rewritten.
ALTER TABLE "waits" ADD COLUMN "cancelled_at" TIMESTAMPTZ(3);
