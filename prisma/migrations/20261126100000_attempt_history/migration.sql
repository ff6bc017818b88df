-- When the attempts of a node were, and why they failed. Without a default, no row is rewritten.
ALTER TABLE "node_runs" ADD COLUMN     "attempt_history" TEXT;
ALTER TABLE "node_iterations" ADD COLUMN     "attempt_history" TEXT;
