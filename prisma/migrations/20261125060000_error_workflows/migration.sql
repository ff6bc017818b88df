-- Error workflows. Without a default that is computed, no row is rewritten.
ALTER TYPE "execution_source" ADD VALUE 'error';
ALTER TABLE "executions" ADD COLUMN "error_of" UUID, ADD COLUMN "error_execution_id" UUID, ADD COLUMN "error_start_code" TEXT;
ALTER TABLE "workflows" ADD COLUMN "error_workflow_id" UUID, ADD COLUMN "has_error_workflow" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "workspaces" ADD COLUMN "error_workflow_id" UUID;

-- CreateTable
CREATE TABLE "error_starts" (
    "execution_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "error_workflow_id" UUID NOT NULL,
    "failed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "error_starts_pkey" PRIMARY KEY ("execution_id")
);

-- CreateIndex
CREATE INDEX "error_starts_next_attempt_at_idx" ON "error_starts"("next_attempt_at");
