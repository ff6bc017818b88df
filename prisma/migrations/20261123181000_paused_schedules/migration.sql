-- Null while a schedule is not paused. A paused schedule has no next time, so processes of earlier versions do not fire
-- it either.
ALTER TABLE "schedules" ADD COLUMN "paused_at" TIMESTAMPTZ(3);
ALTER TABLE "schedules" ADD COLUMN "paused_by" UUID;
