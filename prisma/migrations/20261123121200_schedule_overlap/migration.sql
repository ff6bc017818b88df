-- How many runs of a schedule may be unfinished at once. A constant default rewrites no rows.
ALTER TABLE "schedules" ADD COLUMN "max_overlap" INTEGER NOT NULL DEFAULT 100;
