-- For a node inside a loop: how many of its iterations have which status. Without a default, no row is rewritten.
ALTER TABLE "node_runs" ADD COLUMN "iteration_counts" TEXT;
