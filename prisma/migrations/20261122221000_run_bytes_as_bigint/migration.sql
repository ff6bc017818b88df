-- Rewrites the table and its indexes under an exclusive lock: nothing reads or writes runs meanwhile. The three tables have a
-- migration each, so that no lock outlives the rewrite of its own table.
ALTER TABLE "executions" ALTER COLUMN "stored_bytes" SET DATA TYPE BIGINT;
