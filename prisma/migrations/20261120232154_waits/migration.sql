-- AlterTable
ALTER TABLE "executions" ADD COLUMN     "answers" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "waits" ADD COLUMN     "child_execution_id" UUID;

-- A decision that is recorded but whose job was not added is found like any other unclaimed dispatch.
DROP INDEX "executions_unclaimed";
CREATE INDEX "executions_unclaimed" ON "executions" ("dispatched_at")
  WHERE "worker_id" IS NULL AND "claimed_dispatch" < "dispatch"
    AND "status" IN ('pending', 'running', 'waiting_for_input', 'waiting_for_human');

-- Resting runs by when they go on by themselves.
CREATE INDEX "executions_wake" ON "executions" ("wake_at") WHERE "wake_at" IS NOT NULL;

-- Open waits of a workspace's runs are found from here; ended ones are not in it.
CREATE INDEX "waits_open" ON "waits" ("kind", "created_at") WHERE "answered_at" IS NULL;
CREATE INDEX "waits_child" ON "waits" ("child_execution_id") WHERE "child_execution_id" IS NOT NULL;

-- Runs that others started, to be stopped with them.
CREATE INDEX "executions_parent" ON "executions" ("parent_execution_id") WHERE "parent_execution_id" IS NOT NULL;
