-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "model_tokens_per_month" BIGINT;

-- AlterTable
ALTER TABLE "model_calls" ADD COLUMN     "reserved_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "workflow_id" UUID;

-- CreateTable
CREATE TABLE "model_months" (
    "workspace_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "tokens" BIGINT NOT NULL,

    CONSTRAINT "model_months_pkey" PRIMARY KEY ("workspace_id","month")
);

-- What was counted so far.
INSERT INTO model_months (workspace_id, month, tokens)
SELECT workspace_id, date_trunc('month', started_at AT TIME ZONE 'UTC')::date, sum(input_tokens + output_tokens)
FROM model_calls GROUP BY 1, 2;
