-- AlterTable
ALTER TABLE "executions" ADD COLUMN     "checkpoint_version" SMALLINT NOT NULL DEFAULT 1;
