-- Rewrites the table and its indexes under an exclusive lock: nothing reads or writes runs meanwhile (CHANGELOG has measured times).
-- The three tables have a migration each, so that no lock outlives the rewrite of its own table. Workers of the version before
-- go on working with the new type.
ALTER TABLE "executions" ALTER COLUMN "stored_bytes" SET DATA TYPE BIGINT;
