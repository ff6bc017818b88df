-- CreateTable
CREATE TABLE "agent_memories" (
    "workspace_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "exchanges" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_memories_pkey" PRIMARY KEY ("workspace_id","key")
);

-- CreateIndex
CREATE INDEX "agent_memories_updated_at_idx" ON "agent_memories"("updated_at");
