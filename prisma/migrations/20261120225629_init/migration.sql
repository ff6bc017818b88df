-- CreateEnum
CREATE TYPE "role" AS ENUM ('viewer', 'editor', 'admin', 'owner');

-- CreateEnum
CREATE TYPE "workflow_status" AS ENUM ('draft', 'active', 'inactive');

-- CreateEnum
CREATE TYPE "execution_status" AS ENUM ('pending', 'running', 'paused', 'waiting_for_input', 'waiting_for_human', 'success', 'failed', 'timeout', 'stopped');

-- CreateEnum
CREATE TYPE "execution_mode" AS ENUM ('normal', 'test', 'debug', 'sandbox');

-- CreateEnum
CREATE TYPE "execution_source" AS ENUM ('api', 'editor', 'webhook', 'schedule', 'rerun', 'workflow');

-- CreateEnum
CREATE TYPE "node_status" AS ENUM ('pending', 'running', 'success', 'failed', 'skipped', 'waiting', 'stopped');

-- CreateEnum
CREATE TYPE "credential_type" AS ENUM ('apiKey', 'basic', 'bearer', 'header', 'postgres', 'smtp');

-- CreateEnum
CREATE TYPE "wait_kind" AS ENUM ('approval', 'human', 'time', 'workflow');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "is_admin" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workspaces" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "executions_per_minute" INTEGER,
    "storage_quota_bytes" BIGINT,
    "stored_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "workspace_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("workspace_id","user_id")
);

-- CreateTable
CREATE TABLE "invites" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "email" TEXT,
    "role" "role" NOT NULL,
    "token_hash" TEXT NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "accepted_by" UUID,

    CONSTRAINT "invites_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "workspace_id" UUID,
    "name" TEXT NOT NULL,
    "key_prefix" TEXT NOT NULL,
    "key_hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "credential_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "folders" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "parent_id" UUID,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "folders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "variables" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "variables_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credentials" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "type" "credential_type" NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflows" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "folder_id" UUID,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "status" "workflow_status" NOT NULL DEFAULT 'draft',
    "latest_version_id" UUID,
    "active_version_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflows_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_versions" (
    "id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "definition" JSON NOT NULL,
    "timeout_ms" BIGINT NOT NULL,
    "trigger_node_ids" TEXT[],
    "comment" TEXT NOT NULL DEFAULT '',
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "suffix" TEXT NOT NULL,
    "workflow_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("suffix")
);

-- CreateTable
CREATE TABLE "executions" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "workflow_version_id" UUID NOT NULL,
    "status" "execution_status" NOT NULL DEFAULT 'pending',
    "execution_mode" "execution_mode" NOT NULL DEFAULT 'normal',
    "source" "execution_source" NOT NULL,
    "trigger_node_id" TEXT NOT NULL,
    "trigger_data" TEXT,
    "rerun_of" UUID,
    "parent_execution_id" UUID,
    "parent_node_id" TEXT,
    "depth" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "wake_at" TIMESTAMPTZ(3),
    "current_node_id" TEXT,
    "error" TEXT,
    "result" TEXT,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "dispatch" INTEGER NOT NULL DEFAULT 1,
    "claimed_dispatch" INTEGER NOT NULL DEFAULT 0,
    "dispatched_at" TIMESTAMPTZ(3) NOT NULL,
    "checkpoint" INTEGER NOT NULL DEFAULT 0,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "worker_id" UUID,
    "stored_bytes" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "executions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "node_runs" (
    "execution_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "status" "node_status" NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "handle" TEXT,
    "output" TEXT,
    "output_bytes" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "state" TEXT,
    "iterations" INTEGER,
    "last_iteration" TEXT,
    "debug" TEXT,

    CONSTRAINT "node_runs_pkey" PRIMARY KEY ("execution_id","node_id")
);

-- CreateTable
CREATE TABLE "node_iterations" (
    "execution_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "iteration" TEXT NOT NULL,
    "status" "node_status" NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "handle" TEXT,
    "output" TEXT,
    "output_bytes" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "state" TEXT,
    "debug" TEXT,

    CONSTRAINT "node_iterations_pkey" PRIMARY KEY ("execution_id","node_id","iteration")
);

-- CreateTable
CREATE TABLE "waits" (
    "execution_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "iteration" TEXT NOT NULL DEFAULT '',
    "kind" "wait_kind" NOT NULL,
    "details" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "answer" TEXT,
    "answered_by" UUID,
    "answered_at" TIMESTAMPTZ(3),

    CONSTRAINT "waits_pkey" PRIMARY KEY ("execution_id","node_id","iteration")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "workflow_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "execution_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("workflow_id","key")
);

-- CreateTable
CREATE TABLE "storage_changes" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" UUID NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "storage_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "id" UUID NOT NULL,
    "workspace_id" UUID,
    "user_id" UUID,
    "api_key_id" UUID,
    "action" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "address" TEXT NOT NULL DEFAULT '',
    "request_id" TEXT NOT NULL DEFAULT '',
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "settings" (
    "name" TEXT NOT NULL,
    "value" JSONB NOT NULL,

    CONSTRAINT "settings_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "invites_token_hash_key" ON "invites"("token_hash");

-- CreateIndex
CREATE INDEX "invites_workspace_id_idx" ON "invites"("workspace_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_user_id_created_at_idx" ON "api_keys"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "api_keys_workspace_id_idx" ON "api_keys"("workspace_id");

-- CreateIndex
CREATE INDEX "folders_workspace_id_idx" ON "folders"("workspace_id");

-- CreateIndex
CREATE INDEX "folders_parent_id_idx" ON "folders"("parent_id");

-- CreateIndex
CREATE UNIQUE INDEX "variables_workspace_id_name_key" ON "variables"("workspace_id", "name");

-- CreateIndex
CREATE INDEX "credentials_workspace_id_idx" ON "credentials"("workspace_id");

-- CreateIndex
CREATE INDEX "workflows_workspace_id_updated_at_idx" ON "workflows"("workspace_id", "updated_at");

-- CreateIndex
CREATE INDEX "workflows_folder_id_idx" ON "workflows"("folder_id");

-- CreateIndex
CREATE INDEX "workflows_latest_version_id_idx" ON "workflows"("latest_version_id");

-- CreateIndex
CREATE INDEX "workflows_active_version_id_idx" ON "workflows"("active_version_id");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_versions_workflow_id_number_key" ON "workflow_versions"("workflow_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "webhooks_workflow_id_node_id_key" ON "webhooks"("workflow_id", "node_id");

-- CreateIndex
CREATE INDEX "executions_workspace_id_started_at_id_idx" ON "executions"("workspace_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "executions_workflow_id_started_at_id_idx" ON "executions"("workflow_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "executions_workspace_id_status_started_at_idx" ON "executions"("workspace_id", "status", "started_at" DESC);

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "audit_log_workspace_id_at_id_idx" ON "audit_log"("workspace_id", "at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invites" ADD CONSTRAINT "invites_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "folders" ADD CONSTRAINT "folders_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "folders" ADD CONSTRAINT "folders_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "folders"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "variables" ADD CONSTRAINT "variables_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "folders"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_latest_version_id_fkey" FOREIGN KEY ("latest_version_id") REFERENCES "workflow_versions"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_active_version_id_fkey" FOREIGN KEY ("active_version_id") REFERENCES "workflow_versions"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_versions" ADD CONSTRAINT "workflow_versions_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflows"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflows"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema cannot say: partial indexes for the reconciler, which looks every second and must touch only runs
-- that are under way, and rules that no writer may break.

-- Runs that a worker holds.
CREATE INDEX "executions_held" ON "executions" ("worker_id")
  WHERE "worker_id" IS NOT NULL AND "status" IN ('running', 'paused');

-- Runs whose present dispatch nobody has claimed.
CREATE INDEX "executions_unclaimed" ON "executions" ("dispatched_at")
  WHERE "worker_id" IS NULL AND "status" IN ('pending', 'running') AND "claimed_dispatch" < "dispatch";

-- Unfinished runs by their deadline.
CREATE INDEX "executions_deadline" ON "executions" ("deadline_at")
  WHERE "status" IN ('pending', 'running', 'paused', 'waiting_for_input', 'waiting_for_human');

-- Rows of runs are updated a few times soon after they are written: room on the page keeps those updates there.
ALTER TABLE "executions" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "node_runs" SET (autovacuum_vacuum_scale_factor = 0.05);

ALTER TABLE "executions"
  ADD CONSTRAINT "executions_finished_has_time" CHECK (
    ("status" IN ('success', 'failed', 'timeout', 'stopped')) = ("finished_at" IS NOT NULL)),
  ADD CONSTRAINT "executions_finished_is_free" CHECK (
    "worker_id" IS NULL OR "status" NOT IN ('success', 'failed', 'timeout', 'stopped'));
