-- CreateTable
CREATE TABLE "import_reports" (
    "workflow_id" UUID NOT NULL,
    "report" JSON NOT NULL,
    "imported_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "import_reports_pkey" PRIMARY KEY ("workflow_id")
);

-- AddForeignKey
ALTER TABLE "import_reports" ADD CONSTRAINT "import_reports_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflows"("id") ON DELETE CASCADE ON UPDATE CASCADE;
