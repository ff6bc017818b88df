-- Requests with an Idempotency-Key, apart from those that start runs: what they were answered with.
CREATE TABLE "idempotent_requests" (
    "caller" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "token" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "has_acted" BOOLEAN NOT NULL DEFAULT false,
    "workspace_id" UUID,
    "resource_id" TEXT,
    "status" INTEGER,
    "response" TEXT,

    CONSTRAINT "idempotent_requests_pkey" PRIMARY KEY ("caller", "path", "key")
);

CREATE UNIQUE INDEX "idempotent_requests_token_key" ON "idempotent_requests"("token");

CREATE INDEX "idempotent_requests_started_at_idx" ON "idempotent_requests"("started_at");
