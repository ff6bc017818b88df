-- Neither column rewrites the table. Workers of the version before leave them alone and are fenced by the epoch.
ALTER TABLE "executions" ADD COLUMN "claim_token" UUID,
ADD COLUMN "losses" SMALLINT NOT NULL DEFAULT 0;
