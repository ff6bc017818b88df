-- Actions on many runs, which maintenance carries out in batches. Processes of earlier versions do not touch them.

-- CreateEnum
CREATE TYPE "bulk_action_kind" AS ENUM ('stop', 'rerun', 'delete');

-- CreateEnum
CREATE TYPE "bulk_action_status" AS ENUM ('running', 'finished', 'failed', 'aborted');

-- CreateTable
CREATE TABLE "bulk_actions" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "kind" "bulk_action_kind" NOT NULL,
    "status" "bulk_action_status" NOT NULL DEFAULT 'running',
    "filter" TEXT,
    "version" TEXT,
    "from_failed_node" BOOLEAN NOT NULL DEFAULT false,
    "rate_per_second" INTEGER,
    "total" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "errors" TEXT NOT NULL DEFAULT '[]',
    "blocked_by" TEXT,
    "next_batch_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" UUID NOT NULL,
    "api_key_id" UUID,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_actions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bulk_action_runs" (
    "action_id" UUID NOT NULL,
    "execution_id" UUID NOT NULL,

    CONSTRAINT "bulk_action_runs_pkey" PRIMARY KEY ("action_id","execution_id")
);

-- CreateIndex
CREATE INDEX "bulk_actions_workspace_id_id_idx" ON "bulk_actions"("workspace_id", "id" DESC);

-- AddForeignKey
ALTER TABLE "bulk_actions" ADD CONSTRAINT "bulk_actions_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bulk_action_runs" ADD CONSTRAINT "bulk_action_runs_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "bulk_actions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The actions that maintenance continues, and those that it forgets.
CREATE INDEX "bulk_actions_running" ON "bulk_actions" ("next_batch_at") WHERE "status" = 'running';
CREATE INDEX "bulk_actions_finished" ON "bulk_actions" ("finished_at") WHERE "finished_at" IS NOT NULL;
