-- Keys that hold exactly the scopes of a preset get those that the preset has now, so that their labels stay.
-- Read-only no longer reads variables, and Read + write + AI agent lists node types.
UPDATE "api_keys"
SET "scopes" = '{workflows:read,executions:read,workspaces:read,monitoring:read,ai:read,credentials:read,audit-log:read,folders:read}'
WHERE "scopes" @> '{workflows:read,executions:read,workspaces:read,monitoring:read,ai:read,credentials:read,audit-log:read,folders:read,variables:read}'
  AND "scopes" <@ '{workflows:read,executions:read,workspaces:read,monitoring:read,ai:read,credentials:read,audit-log:read,folders:read,variables:read}';

UPDATE "api_keys"
SET "scopes" = "scopes" || '{node-types:read}'
WHERE "scopes" @> '{workflows:read,executions:read,workspaces:read,monitoring:read,ai:read,credentials:read,audit-log:read,folders:read,variables:read,workflows:write,folders:write,workspaces:write,variables:write,executions:write,ai:write}'
  AND "scopes" <@ '{workflows:read,executions:read,workspaces:read,monitoring:read,ai:read,credentials:read,audit-log:read,folders:read,variables:read,workflows:write,folders:write,workspaces:write,variables:write,executions:write,ai:write}';
