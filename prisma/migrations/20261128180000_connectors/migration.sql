-- CreateTable
CREATE TABLE "connectors" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "head" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connectors_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "connector_operations" (
    "connector_id" UUID NOT NULL,
    "operation" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "summary" TEXT NOT NULL,
    "action" TEXT NOT NULL,

    CONSTRAINT "connector_operations_pkey" PRIMARY KEY ("connector_id","operation")
);

-- CreateIndex
CREATE UNIQUE INDEX "connectors_workspace_id_name_version_key" ON "connectors"("workspace_id", "name", "version");

-- AddForeignKey
ALTER TABLE "connectors" ADD CONSTRAINT "connectors_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "connector_operations" ADD CONSTRAINT "connector_operations_connector_id_fkey" FOREIGN KEY ("connector_id") REFERENCES "connectors"("id") ON DELETE CASCADE ON UPDATE CASCADE;
