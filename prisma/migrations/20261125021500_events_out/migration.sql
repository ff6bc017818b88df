-- CreateEnum
CREATE TYPE "event_delivery_status" AS ENUM ('pending', 'delivered', 'failed');

-- CreateEnum
CREATE TYPE "event_endpoint_disabled_reason" AS ENUM ('person', 'gone', 'failing');

-- CreateTable
CREATE TABLE "event_endpoints" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "event_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "workflow_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" "event_endpoint_disabled_reason",
    "failure_count" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "throttled_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_secrets" (
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "event_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_deliveries" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "seq" BIGSERIAL NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "workflow_id" UUID,
    "execution_id" UUID,
    "node_id" TEXT,
    "iteration" TEXT,
    "revision" INTEGER,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" "event_delivery_status" NOT NULL DEFAULT 'pending',
    "attempt_count" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "is_leased" BOOLEAN NOT NULL DEFAULT false,
    "attempts" JSONB NOT NULL DEFAULT '[]',
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "event_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "event_endpoints_workspace_id_idx" ON "event_endpoints"("workspace_id");

-- CreateIndex
CREATE INDEX "event_secrets_endpoint_id_idx" ON "event_secrets"("endpoint_id");

-- CreateIndex
CREATE INDEX "event_deliveries_endpoint_id_seq_idx" ON "event_deliveries"("endpoint_id", "seq");

-- CreateIndex
CREATE INDEX "event_deliveries_occurred_at_idx" ON "event_deliveries" USING BRIN ("occurred_at");

-- AddForeignKey
ALTER TABLE "event_endpoints" ADD CONSTRAINT "event_endpoints_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_secrets" ADD CONSTRAINT "event_secrets_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "event_endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The work list: pending deliveries by endpoint, the next due first.
CREATE INDEX event_deliveries_due ON event_deliveries (endpoint_id, next_attempt_at, seq) WHERE status = 'pending';
-- Whether an earlier event of a run is pending at an endpoint.
CREATE INDEX event_deliveries_pending_of_runs ON event_deliveries (endpoint_id, execution_id, seq) WHERE status = 'pending';
-- Failed deliveries, for lists and replays.
CREATE INDEX event_deliveries_failed ON event_deliveries (endpoint_id, seq) WHERE status = 'failed';

-- Rows change their status soon after they are inserted.
ALTER TABLE event_deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
