-- Failed runs by fingerprint. Maintenance adds a run when it adds it to the search index. Processes of earlier versions
-- index runs without adding them.

-- CreateEnum
CREATE TYPE "failure_group_state" AS ENUM ('open', 'ignored', 'resolved');

-- CreateTable
CREATE TABLE "failure_groups" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "node_type" TEXT,
    "code" TEXT,
    "message" TEXT NOT NULL,
    "state" "failure_group_state" NOT NULL DEFAULT 'open',
    "state_changed_at" TIMESTAMPTZ(3),
    "run_count" BIGINT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_execution_id" UUID NOT NULL,

    CONSTRAINT "failure_groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "failure_group_versions" (
    "group_id" UUID NOT NULL,
    "workflow_version_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "run_count" BIGINT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "failure_group_versions_pkey" PRIMARY KEY ("group_id","workflow_version_id")
);

-- CreateIndex
CREATE INDEX "failure_groups_workspace_id_last_seen_at_id_idx" ON "failure_groups"("workspace_id", "last_seen_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "failure_groups_workspace_id_fingerprint_key" ON "failure_groups"("workspace_id", "fingerprint");

-- AddForeignKey
ALTER TABLE "failure_group_versions" ADD CONSTRAINT "failure_group_versions_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "failure_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Without a default, no row is rewritten.
ALTER TABLE "execution_texts" ADD COLUMN "failure_group_id" UUID;
ALTER TABLE "unindexed_executions" ADD COLUMN "failure_group_id" UUID;
