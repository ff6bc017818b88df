-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "model_micro_usd_per_month" BIGINT;

-- AlterTable
ALTER TABLE "model_calls" ADD COLUMN     "cached_input_price" BIGINT,
ADD COLUMN     "cost_micro_usd" BIGINT,
ADD COLUMN     "input_price" BIGINT,
ADD COLUMN     "output_price" BIGINT,
ADD COLUMN     "reserved_micro_usd" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "model_months" ADD COLUMN     "micro_usd" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "model_prices" (
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "valid_from" DATE NOT NULL,
    "input_price" BIGINT NOT NULL,
    "cached_input_price" BIGINT,
    "output_price" BIGINT NOT NULL,
    "source" TEXT NOT NULL,

    CONSTRAINT "model_prices_pkey" PRIMARY KEY ("provider","model","valid_from")
);

-- CreateIndex
CREATE INDEX "model_months_month_idx" ON "model_months"("month");
