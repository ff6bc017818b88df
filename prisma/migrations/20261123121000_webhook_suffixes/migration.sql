-- Every URL that a webhook ever had, with its workspace: nobody else is given one that became free, since senders may
-- still send to it. No foreign key: it outlives the webhook, its workflow and the workspace.
CREATE TABLE "webhook_suffixes" (
    "suffix" TEXT NOT NULL,
    "workspace_id" UUID NOT NULL,

    CONSTRAINT "webhook_suffixes_pkey" PRIMARY KEY ("suffix")
);

INSERT INTO "webhook_suffixes" ("suffix", "workspace_id")
SELECT h."suffix", w."workspace_id" FROM "webhooks" h JOIN "workflows" w ON w."id" = h."workflow_id";
