-- Callbacks of runs. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN "callback_url" TEXT;
ALTER TABLE "event_deliveries" ADD COLUMN "url" TEXT;
ALTER TABLE "event_endpoints" ADD COLUMN "callback_lane" SMALLINT;

-- CreateIndex
CREATE UNIQUE INDEX "event_endpoints_workspace_id_callback_lane_key" ON "event_endpoints"("workspace_id", "callback_lane");
