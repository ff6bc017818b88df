-- Who was involved in runs before a run, and whether it reuses outputs of mocks. Without defaults, no row is rewritten.

-- AlterTable
ALTER TABLE "executions" ADD COLUMN     "has_mocked" BOOLEAN,
ADD COLUMN     "involved" UUID[];
