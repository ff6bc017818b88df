-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "test_until" TIMESTAMPTZ(3),
ADD COLUMN     "test_user_id" UUID;

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "is_test" BOOLEAN NOT NULL,
    "method" TEXT NOT NULL,
    "status" INTEGER,
    "duration_ms" INTEGER NOT NULL,
    "execution_id" UUID,
    "error_code" TEXT,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_deliveries_workflow_id_id_idx" ON "webhook_deliveries"("workflow_id", "id" DESC);
