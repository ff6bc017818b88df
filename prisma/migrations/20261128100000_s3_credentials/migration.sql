-- Credentials of S3-compatible stores. Processes of earlier versions cannot read credentials of the new type: create
-- some once all processes are upgraded.

-- AlterEnum
ALTER TYPE "credential_type" ADD VALUE 's3' BEFORE 'smtp';
