-- CreateTable
CREATE TABLE "schedules" (
    "workflow_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "workflow_version_id" UUID NOT NULL,
    "cron" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "catch_up" BOOLEAN NOT NULL,
    "next_fire_at" TIMESTAMPTZ(3),
    "look_at" TIMESTAMPTZ(3),
    "held_by" TEXT,
    "last_fire_at" TIMESTAMPTZ(3),
    "last_execution_id" UUID,

    CONSTRAINT "schedules_pkey" PRIMARY KEY ("workflow_id","node_id")
);

-- CreateIndex
CREATE INDEX "schedules_look_at_idx" ON "schedules"("look_at");

-- AddForeignKey
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflows"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A schedule has a time that is due, and a time to look at it, or neither.
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_look_at_check" CHECK (("look_at" IS NULL) = ("next_fire_at" IS NULL));

-- The schedules of workflows that are active already: a time that was missed, from which the first look goes on to the next.
INSERT INTO "schedules" ("workflow_id", "node_id", "workflow_version_id", "cron", "timezone", "catch_up", "next_fire_at", "look_at")
SELECT w.id, node ->> 'id', v.id, node #>> '{parameters,cron}', coalesce(node #>> '{parameters,timezone}', 'UTC'), false,
  now() - interval '2 minutes', now() - interval '2 minutes'
FROM workflows w JOIN workflow_versions v ON v.id = w.active_version_id
CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
WHERE w.status = 'active' AND node ->> 'type' = 'trigger.schedule' AND coalesce(node ->> 'disabled', 'false') <> 'true';
