-- The filter of event endpoints by tags of runs. Processes of earlier versions send what it excludes.
ALTER TABLE "event_endpoints" ADD COLUMN "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];
