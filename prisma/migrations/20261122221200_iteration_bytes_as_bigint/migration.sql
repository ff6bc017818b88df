-- Rewrites the table under an exclusive lock, as the migration before.
ALTER TABLE "node_iterations" ALTER COLUMN "output_bytes" SET DATA TYPE BIGINT;
