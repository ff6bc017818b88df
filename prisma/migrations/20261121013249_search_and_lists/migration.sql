-- Both come with PostgreSQL and may be made by the database's owner: trigrams, and uuid columns beside them in one index.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";
CREATE EXTENSION IF NOT EXISTS "btree_gin";

-- CreateTable
CREATE TABLE "execution_texts" (
    "execution_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "error" TEXT,

    CONSTRAINT "execution_texts_pkey" PRIMARY KEY ("execution_id")
);

-- CreateTable
CREATE TABLE "unindexed_executions" (
    "execution_id" UUID NOT NULL,

    CONSTRAINT "unindexed_executions_pkey" PRIMARY KEY ("execution_id")
);

-- CreateIndex
CREATE INDEX "execution_texts_workspace_id_text_idx" ON "execution_texts" USING GIN ("workspace_id" uuid_ops, "text" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "executions_workspace_id_created_at_id_idx" ON "executions"("workspace_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "executions_workspace_id_finished_at_id_idx" ON "executions"("workspace_id", "finished_at" DESC, "id" DESC);

-- Only runs with an error have one.
CREATE INDEX "execution_texts_error" ON "execution_texts" USING GIN ("workspace_id" uuid_ops, "error" gin_trgm_ops)
  WHERE "error" IS NOT NULL;

-- Runs that finished before can be searched too.
INSERT INTO "unindexed_executions" SELECT "id" FROM "executions" WHERE "finished_at" IS NOT NULL;
