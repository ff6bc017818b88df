-- Where the loops of an unfinished run are, so that the next worker reads only the iterations in progress. Without a
-- default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN "loop_positions" TEXT;
