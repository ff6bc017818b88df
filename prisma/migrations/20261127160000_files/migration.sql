-- CreateTable
CREATE TABLE "files" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "sha256" BYTEA NOT NULL,
    "bytes" BIGINT NOT NULL,
    "is_apart" BOOLEAN NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "unfinished_files" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "is_apart" BOOLEAN NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unfinished_files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "file_parts" (
    "file_id" UUID NOT NULL,
    "part" INTEGER NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "file_parts_pkey" PRIMARY KEY ("file_id","part")
);

-- CreateTable
CREATE TABLE "execution_files" (
    "execution_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,

    CONSTRAINT "execution_files_pkey" PRIMARY KEY ("execution_id","file_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "files_workspace_id_sha256_key" ON "files"("workspace_id", "sha256");

-- CreateIndex
CREATE INDEX "unfinished_files_expires_at_idx" ON "unfinished_files"("expires_at");

-- CreateIndex
CREATE INDEX "execution_files_file_id_idx" ON "execution_files"("file_id");

-- Most files are named by runs. The sweep reads the others.
CREATE INDEX "files_expiring" ON "files"("expires_at") WHERE "expires_at" IS NOT NULL;

-- Many files are compressed already.
ALTER TABLE "file_parts" ALTER COLUMN "data" SET STORAGE EXTERNAL;

-- Runs stop naming their files when they are deleted, whoever deletes them.
CREATE FUNCTION "forget_execution_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM execution_files WHERE execution_id IN (SELECT id FROM removed);
  RETURN NULL;
END $$;

CREATE TRIGGER "forget_execution_files" AFTER DELETE ON "executions"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "forget_execution_files"();

-- A file that a run stops naming is deleted after half an hour, unless another run names it: the sweep checks that.
CREATE FUNCTION "expire_unnamed_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH locked AS (
    SELECT id FROM files WHERE expires_at IS NULL AND id IN (SELECT file_id FROM removed) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE files f SET expires_at = now() + interval '30 minutes' FROM locked l WHERE l.id = f.id;
  RETURN NULL;
END $$;

CREATE TRIGGER "expire_unnamed_files" AFTER DELETE ON "execution_files"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "expire_unnamed_files"();

-- As before, and files: partitions are dropped without a DELETE of their runs.
CREATE OR REPLACE FUNCTION "delete_leftovers_of_run_partition"("suffix" TEXT, "max_rows" INTEGER) RETURNS INTEGER
  LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  first_id uuid;
  last_id uuid;
  deleted integer;
  total integer := 0;
  statement text;
BEGIN
  IF NOT "suffix" IN (SELECT "detached_run_partitions"()) THEN RETURN 0; END IF;
  EXECUTE format('SELECT "id" FROM %I ORDER BY "id" LIMIT 1', 'executions_' || "suffix") INTO first_id;
  EXECUTE format('SELECT "id" FROM %I ORDER BY "id" DESC LIMIT 1', 'executions_' || "suffix") INTO last_id;
  WITH gone AS (
    DELETE FROM "large_outputs" WHERE "id" IN (
      SELECT "id" FROM "large_outputs" WHERE "execution_id" BETWEEN first_id AND last_id LIMIT "max_rows")
    RETURNING "id", "execution_id", "data" IS NULL AS is_apart
  ), apart AS (
    INSERT INTO "deleted_outputs" ("id", "execution_id") SELECT "id", "execution_id" FROM gone WHERE is_apart
  )
  SELECT count(*) INTO total FROM gone;
  -- Rows that another process has locked are left to it.
  FOREACH statement IN ARRAY ARRAY[
    'DELETE FROM "execution_files" WHERE ("execution_id", "file_id") IN (SELECT "execution_id", "file_id"
      FROM "execution_files" WHERE "execution_id" BETWEEN $1 AND $2 LIMIT $3 FOR UPDATE SKIP LOCKED)',
    'DELETE FROM "waits" WHERE ("execution_id", "node_id", "iteration") IN (SELECT "execution_id", "node_id", "iteration"
      FROM "waits" WHERE "execution_id" BETWEEN $1 AND $2 LIMIT $3 FOR UPDATE SKIP LOCKED)',
    'DELETE FROM "run_families" WHERE "root_execution_id" IN (SELECT "root_execution_id"
      FROM "run_families" WHERE "root_execution_id" BETWEEN $1 AND $2 LIMIT $3 FOR UPDATE SKIP LOCKED)',
    'DELETE FROM "stopped_parents" WHERE "execution_id" IN (SELECT "execution_id"
      FROM "stopped_parents" WHERE "execution_id" BETWEEN $1 AND $2 LIMIT $3 FOR UPDATE SKIP LOCKED)',
    'DELETE FROM "unindexed_executions" WHERE "execution_id" IN (SELECT "execution_id"
      FROM "unindexed_executions" WHERE "execution_id" BETWEEN $1 AND $2 LIMIT $3 FOR UPDATE SKIP LOCKED)']
  LOOP
    EXECUTE statement USING first_id, last_id, "max_rows";
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
  END LOOP;
  RETURN total;
END $$;

-- CREATE OR REPLACE keeps rights and resets settings.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION "delete_leftovers_of_run_partition"(text, integer) SET search_path = %I, pg_temp', current_schema());
  ALTER FUNCTION "delete_leftovers_of_run_partition"(text, integer) SET timezone = 'UTC';
END $$;
