-- AlterTable
ALTER TABLE "executions" ADD COLUMN     "trace_parent" TEXT;
