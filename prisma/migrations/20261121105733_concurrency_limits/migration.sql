-- AlterTable
ALTER TABLE "executions" ADD COLUMN     "held_back_at" TIMESTAMPTZ(3),
ADD COLUMN     "holds_slot" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "workflows" ADD COLUMN     "max_concurrent_executions" INTEGER;

-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "max_concurrent_executions" INTEGER;

-- What is limited, so that a claim finds with one look that its run is not.
CREATE INDEX "workspaces_limited" ON "workspaces" ("id") WHERE "max_concurrent_executions" IS NOT NULL;
CREATE INDEX "workflows_limited" ON "workflows" ("id") WHERE "max_concurrent_executions" IS NOT NULL;

-- Runs that wait for others of their workspace or workflow to end, the oldest of each workflow first.
CREATE INDEX "executions_held_back" ON "executions" ("workspace_id", "workflow_id", "id")
  WHERE "held_back_at" IS NOT NULL AND "worker_id" IS NULL
    AND "status" IN ('pending', 'running', 'waiting_for_input', 'waiting_for_human');

-- Runs that count under a limit: runs of others are never in it.
CREATE INDEX "executions_slots" ON "executions" ("workspace_id", "workflow_id")
  WHERE "holds_slot" AND "worker_id" IS NOT NULL;
