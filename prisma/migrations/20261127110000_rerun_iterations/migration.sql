-- Which iterations a rerun from a node in a loop repeats. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN     "rerun_iterations" TEXT;
