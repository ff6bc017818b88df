-- The schemas that triggers of a version enforce. Null, without a rewrite, for versions that were saved before: their
-- schemas only described the input, and go on doing so.
ALTER TABLE "workflow_versions" ADD COLUMN     "input_schemas" JSON;
