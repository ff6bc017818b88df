-- The beginning of a large output, which its run is searched by. What an earlier version keeps has none.
ALTER TABLE "large_outputs" ADD COLUMN "search_text" TEXT;
