-- Debounced starts are joined with other runs, so that no run shows which events have made theirs. The default is a
-- constant: no row is rewritten.
ALTER TABLE "events" ADD COLUMN "debounced_starts" UUID[] DEFAULT ARRAY[]::UUID[];
