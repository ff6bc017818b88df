-- Credentials get an owner, a visibility and limits. What is there already stays shared, except API keys: those are
-- private to the person whose they are.
CREATE TYPE "credential_visibility" AS ENUM ('private', 'shared');

ALTER TABLE "credentials"
  ADD COLUMN "owner_id" UUID,
  ADD COLUMN "visibility" "credential_visibility" NOT NULL DEFAULT 'shared',
  ADD COLUMN "allowed_hosts" TEXT[] DEFAULT ARRAY[]::TEXT[],
  ADD COLUMN "allowed_workflow_ids" UUID[] DEFAULT ARRAY[]::UUID[];

ALTER TABLE "credentials" ADD CONSTRAINT "credentials_owner_id_fkey"
  FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE SET NULL ON UPDATE CASCADE;

CREATE INDEX "credentials_owner_id_idx" ON "credentials" ("owner_id");

UPDATE "credentials" c SET "owner_id" = k.user_id, "visibility" = 'private'
FROM "api_keys" k WHERE k.credential_id = c.id;
