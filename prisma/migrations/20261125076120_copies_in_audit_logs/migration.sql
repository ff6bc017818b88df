-- Entries of workspaces about a change that has an entry without a workspace.
-- A constant default: the table is not rewritten.
ALTER TABLE "audit_log" ADD COLUMN "is_copy" BOOLEAN NOT NULL DEFAULT false;
