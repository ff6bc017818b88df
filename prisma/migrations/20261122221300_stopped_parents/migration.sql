-- CreateTable
CREATE TABLE "stopped_parents" (
    "execution_id" UUID NOT NULL,

    CONSTRAINT "stopped_parents_pkey" PRIMARY KEY ("execution_id")
);

-- The children of a run that are still to be stopped. Runs without a parent, and finished runs, are not in it.
-- "executions_parent" stays for workers of the version before, which stop whole families by it.
CREATE INDEX "executions_unfinished_children" ON "executions" ("parent_execution_id", "id")
  WHERE "parent_execution_id" IS NOT NULL AND "status" IN ('pending', 'running', 'paused', 'waiting_for_input', 'waiting_for_human');
