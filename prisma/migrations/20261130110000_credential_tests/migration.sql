-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "last_test" JSONB;
