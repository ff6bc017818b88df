-- AlterTable
ALTER TABLE "unindexed_executions" ADD COLUMN     "is_counted" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "run_days" (
    "workspace_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "workflow_id" UUID NOT NULL,
    "succeeded" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "timed_out" INTEGER NOT NULL,
    "stopped" INTEGER NOT NULL,
    "durations" INTEGER[],

    CONSTRAINT "run_days_pkey" PRIMARY KEY ("workspace_id","day","workflow_id")
);

-- CreateIndex
CREATE INDEX "run_days_day_idx" ON "run_days"("day");

-- The rows of today are updated for each batch of runs that ended.
ALTER TABLE "run_days" SET (fillfactor = 70);
