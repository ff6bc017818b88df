-- AlterTable
ALTER TABLE "workflow_versions" ADD COLUMN     "sealed_secrets" JSON NOT NULL DEFAULT '{}';
