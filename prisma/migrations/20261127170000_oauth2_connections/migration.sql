-- OAuth 2.0 credentials and their tokens. Processes of earlier versions do not touch the table, and cannot read
-- credentials of the new type: create some once all processes are upgraded.

-- AlterEnum
ALTER TYPE "credential_type" ADD VALUE 'oauth2' BEFORE 'postgres';

-- CreateEnum
CREATE TYPE "oauth2_grant" AS ENUM ('authorizationCode', 'clientCredentials', 'deviceCode', 'jwtBearer');

-- CreateEnum
CREATE TYPE "connection_status" AS ENUM ('not_connected', 'connected', 'reconnect_needed');

-- CreateTable
CREATE TABLE "oauth2_connections" (
    "id" UUID NOT NULL,
    "grant" "oauth2_grant" NOT NULL,
    "status" "connection_status" NOT NULL DEFAULT 'not_connected',
    "secret" TEXT,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "connected_at" TIMESTAMPTZ(3),
    "refreshed_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "error_code" TEXT,
    "error_message" TEXT,
    "failed_at" TIMESTAMPTZ(3),
    "retry_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth2_connections_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "oauth2_connections" ADD CONSTRAINT "oauth2_connections_id_fkey" FOREIGN KEY ("id") REFERENCES "credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;
