-- The node after which a run ends. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN     "until_node_id" TEXT;
