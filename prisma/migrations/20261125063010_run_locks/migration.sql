-- Locks that runs hold, or wait for. A run that has ended holds none, whatever is here.
CREATE TABLE "run_locks" (
    "execution_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "iteration" TEXT NOT NULL DEFAULT '',
    "workspace_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "max_holders" INTEGER NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "acquired_at" TIMESTAMPTZ(3),
    "is_wake_pending" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "run_locks_pkey" PRIMARY KEY ("execution_id","node_id","iteration")
);
CREATE INDEX "run_locks_workspace_id_key_seq_idx" ON "run_locks"("workspace_id", "key", "seq");
CREATE INDEX "run_locks_wake_pending" ON "run_locks" ("seq") WHERE "is_wake_pending";
