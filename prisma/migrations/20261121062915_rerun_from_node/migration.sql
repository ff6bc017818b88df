-- AlterTable
ALTER TABLE "executions" ADD COLUMN     "rerun_from_node_id" TEXT;
