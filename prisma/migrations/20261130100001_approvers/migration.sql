-- Who started a run, and who may answer a wait. Without defaults, no row is rewritten.

-- AlterTable
ALTER TABLE "executions" ADD COLUMN     "started_by" UUID;

-- AlterTable
ALTER TABLE "waits" ADD COLUMN     "approver_people" TEXT[],
ADD COLUMN     "approver_roles" TEXT[],
ADD COLUMN     "four_eyes" BOOLEAN;
