-- CreateTable
CREATE TABLE "workflow_drafts" (
    "workflow_id" UUID NOT NULL,
    "definition" JSON NOT NULL,
    "base_version_id" UUID,
    "updated_by" UUID,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflow_drafts_pkey" PRIMARY KEY ("workflow_id")
);

-- AddForeignKey
ALTER TABLE "workflow_drafts" ADD CONSTRAINT "workflow_drafts_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflows"("id") ON DELETE CASCADE ON UPDATE CASCADE;
