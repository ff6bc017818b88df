-- Outputs that a test run uses instead of running nodes. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN     "mocks" TEXT;
