-- Names of workflows in files, and whether files define them. Constant defaults: the table is not rewritten.
ALTER TABLE "workflows" ADD COLUMN "managed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "slug" TEXT;

-- Built in the transaction: the table is small, and no workflow has a slug yet.
CREATE UNIQUE INDEX "workflows_workspace_id_slug_key" ON "workflows"("workspace_id", "slug");
