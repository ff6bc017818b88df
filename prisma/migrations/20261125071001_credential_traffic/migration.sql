-- Limits of requests with a credential. Without a default, no row is rewritten.
ALTER TABLE "credentials" ADD COLUMN "rate_limit" JSONB, ADD COLUMN "circuit" JSONB;
