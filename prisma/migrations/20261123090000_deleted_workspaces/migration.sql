-- Workspaces whose data is still to be deleted. No foreign key: neither they nor their workflows are there any more.
CREATE TABLE "deleted_workspaces" (
    "workspace_id" UUID NOT NULL,
    "workflow_ids" UUID[],
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deleted_workspaces_pkey" PRIMARY KEY ("workspace_id")
);

-- Workspaces that an earlier version deleted left their runs behind. Their workflows are known by these.
INSERT INTO "deleted_workspaces" ("workspace_id", "workflow_ids")
SELECT e."workspace_id", array_agg(DISTINCT e."workflow_id")
FROM "executions" e
WHERE NOT EXISTS (SELECT 1 FROM "workspaces" w WHERE w."id" = e."workspace_id")
GROUP BY e."workspace_id";
