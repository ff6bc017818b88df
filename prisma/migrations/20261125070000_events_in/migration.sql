-- Events that callers send: they start the workflows that have triggers for them, and wake the runs that wait for them.
-- Processes of earlier versions do not touch them. No column has a computed default, so no row is rewritten.

-- AlterEnum
ALTER TYPE "execution_source" ADD VALUE 'event';

-- AlterEnum
ALTER TYPE "wait_kind" ADD VALUE 'event';

-- AlterTable
ALTER TABLE "waits" ADD COLUMN     "event_id" UUID,
ADD COLUMN     "event_key" TEXT,
ADD COLUMN     "event_name" TEXT,
ADD COLUMN     "events_checked_at" TIMESTAMPTZ(3),
ADD COLUMN     "workspace_id" UUID;

-- CreateTable
CREATE TABLE "events" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "event_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_match_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "matched_at" TIMESTAMPTZ(3),
    "has_ended_waits" BOOLEAN NOT NULL DEFAULT false,
    "started_workflow_id" UUID,
    "started_node_id" TEXT,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_triggers" (
    "workflow_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "workflow_version_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "filter" TEXT,
    "start_options" TEXT,

    CONSTRAINT "event_triggers_pkey" PRIMARY KEY ("workflow_id","node_id")
);

-- CreateIndex
CREATE INDEX "events_received_at_idx" ON "events"("received_at");

-- CreateIndex
CREATE INDEX "events_workspace_id_name_received_at_idx" ON "events"("workspace_id", "name", "received_at");

-- CreateIndex
CREATE INDEX "events_workspace_id_name_key_received_at_idx" ON "events"("workspace_id", "name", "key", "received_at");

-- CreateIndex
CREATE UNIQUE INDEX "events_workspace_id_event_id_key" ON "events"("workspace_id", "event_id");

-- CreateIndex
CREATE INDEX "event_triggers_workspace_id_name_idx" ON "event_triggers"("workspace_id", "name");

-- AddForeignKey
ALTER TABLE "event_triggers" ADD CONSTRAINT "event_triggers_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflows"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The work list: events that are not matched yet, workspace by workspace.
CREATE INDEX "events_unmatched" ON "events" ("workspace_id", "next_match_at") WHERE "matched_at" IS NULL;

-- Rows change once, soon after they are inserted, and are deleted after a day.
ALTER TABLE "events" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
