-- Triggers of one workflow may share a path, with different methods.
ALTER TABLE "webhooks" DROP CONSTRAINT "webhooks_pkey",
ADD CONSTRAINT "webhooks_pkey" PRIMARY KEY ("workflow_id", "node_id");
DROP INDEX "webhooks_workflow_id_node_id_key";
CREATE INDEX "webhooks_suffix_idx" ON "webhooks"("suffix");
