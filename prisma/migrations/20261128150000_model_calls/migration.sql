-- AlterEnum
ALTER TYPE "credential_type" ADD VALUE 'model' BEFORE 'oauth2';

-- CreateTable
CREATE TABLE "model_calls" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "execution_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "iteration" TEXT NOT NULL,
    "credential_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cached_input_tokens" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "model_calls_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "model_calls_workspace_id_started_at_idx" ON "model_calls"("workspace_id", "started_at");

-- CreateIndex
CREATE INDEX "model_calls_started_at_idx" ON "model_calls"("started_at");
