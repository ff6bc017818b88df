-- Makes versions tools of the MCP server. Without a default: the table is not rewritten.
ALTER TABLE "workflow_versions" ADD COLUMN "tool" JSON;
