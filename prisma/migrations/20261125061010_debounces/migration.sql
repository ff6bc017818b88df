-- CreateTable
CREATE TABLE "debounces" (
    "workflow_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "execution_id" UUID NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "debounces_pkey" PRIMARY KEY ("workflow_id","key")
);

-- CreateIndex
CREATE INDEX "debounces_until_idx" ON "debounces"("until");
