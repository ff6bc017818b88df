-- Lanes of events are leased, and no longer single deliveries. No release has written the column that goes.
ALTER TABLE "event_endpoints" ADD COLUMN "lease_holder" UUID,
ADD COLUMN "leased_until" TIMESTAMPTZ(3);
ALTER TABLE "event_deliveries" DROP COLUMN "is_leased";
