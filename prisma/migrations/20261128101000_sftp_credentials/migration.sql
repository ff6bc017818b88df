-- Credentials of SFTP servers. Processes of earlier versions cannot read credentials of the new type: create some once
-- all processes are upgraded.

-- AlterEnum
ALTER TYPE "credential_type" ADD VALUE 'sftp' BEFORE 'smtp';
