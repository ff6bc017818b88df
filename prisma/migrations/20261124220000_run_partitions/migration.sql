-- deckhand: no-transaction
-- The tables of runs become partitioned by the time in the run's id, a UUIDv7, so that old runs are dropped with their
-- partition. Today's tables become the first partitions, without copying. Every step can be repeated, and none locks a
-- table for longer than a moment: processes of earlier versions keep working.

-- The tables that are partitioned, with the column of the run's id. Their partitions have the same bounds.
CREATE OR REPLACE FUNCTION "partitioned_run_tables"() RETURNS TABLE ("name" TEXT, "key" TEXT)
  LANGUAGE sql IMMUTABLE AS $$
  VALUES ('executions', 'id'), ('node_runs', 'execution_id'), ('node_iterations', 'execution_id'),
    ('execution_texts', 'execution_id')
$$;

-- The smallest UUIDv7 of a time, and the time of a UUIDv7 (RFC 9562, 5.7: the first 48 bits are milliseconds).
CREATE OR REPLACE FUNCTION "first_id_of"("at" TIMESTAMPTZ) RETURNS UUID
  LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM "at") * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
CREATE OR REPLACE FUNCTION "time_of_id"("id" UUID) RETURNS TIMESTAMPTZ
  LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(('x' || left(replace("id"::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- Returns its argument. The planner does not know that, so it leaves out partitions by it when a plan is executed, and
-- a plan is good for every id.
CREATE OR REPLACE FUNCTION "unplanned_id"("id" UUID) RETURNS UUID
  LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$ BEGIN RETURN "id"; END $$;

-- The partitions of runs: a suffix shared by the partitions of all tables, and from which id on and before which id
-- they contain runs. The first one has no lower bound.
CREATE OR REPLACE VIEW "run_partitions" AS
SELECT t."name" AS "table_name", c.relname::text AS "partition_name", substring(c.relname FROM '_(p[0-9]+)$') AS "suffix",
  substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \(''([0-9a-f-]+)''\)')::uuid AS "lower_id",
  substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([0-9a-f-]+)''\)')::uuid AS "upper_id"
FROM "partitioned_run_tables"() t
JOIN pg_inherits i ON i.inhparent = to_regclass(quote_ident(t."name"))
JOIN pg_class c ON c.oid = i.inhrelid;

-- Until when the first partitions last: some days ahead, since processes of earlier versions write into them until the
-- last step. A repeated migration keeps the bound of its first attempt.
CREATE TABLE IF NOT EXISTS "first_run_partition" ("upper_id" UUID NOT NULL);
INSERT INTO "first_run_partition" ("upper_id")
SELECT "first_id_of"(date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '192 hours')
WHERE NOT EXISTS (SELECT FROM "first_run_partition");

-- A check that is validated beforehand spares the scan when the table becomes a partition.
DO $$
DECLARE t record; bound uuid := (SELECT "upper_id" FROM "first_run_partition");
BEGIN
  FOR t IN SELECT * FROM "partitioned_run_tables"() LOOP
    IF (SELECT relkind FROM pg_class WHERE oid = to_regclass(quote_ident(t."name"))) = 'r'
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass(quote_ident(t."name")) AND conname = t."name" || '_first')
    THEN
      EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (%I < %L) NOT VALID', t."name", t."name" || '_first', t."key", bound);
    END IF;
  END LOOP;
END $$;
DO $$
DECLARE t record;
BEGIN
  FOR t IN SELECT * FROM "partitioned_run_tables"() LOOP
    IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass(quote_ident(t."name")) AND conname = t."name" || '_first') THEN
      EXECUTE format('ALTER TABLE %I VALIDATE CONSTRAINT %I', t."name", t."name" || '_first');
    END IF;
  END LOOP;
END $$;

-- Makes a table the first partition of a new one with its name, columns, indexes, checks, triggers and rights.
CREATE OR REPLACE FUNCTION "partition_run_table"("table_name" TEXT, "key" TEXT) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  old_table regclass := to_regclass(quote_ident("table_name"));
  first_name text := "table_name" || '_p0';
  definitions text[] := '{}';
  definition text;
  part record;
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = old_table) = 'p' THEN RETURN; END IF;
  PERFORM set_config('lock_timeout', '500ms', true);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', "table_name");
  FOR part IN
    SELECT conname AS name, pg_get_constraintdef(oid) AS def, contype FROM pg_constraint
    WHERE conrelid = old_table AND contype IN ('p', 'u', 'c') AND conname <> "table_name" || '_first' ORDER BY conname
  LOOP
    definitions := definitions || format('ALTER TABLE %I ADD CONSTRAINT %I %s', "table_name", part.name, part.def);
    -- A check must have the same name in both tables.
    IF part.contype <> 'c' THEN
      EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', old_table, part.name, part.name || '_p0');
    END IF;
  END LOOP;
  FOR part IN
    SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS def FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = old_table AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid) ORDER BY c.relname
  LOOP
    definitions := definitions || part.def;
    EXECUTE format('ALTER INDEX %I RENAME TO %I', part.name, part.name || '_p0');
  END LOOP;
  FOR part IN
    SELECT tgname AS name, pg_get_triggerdef(oid) AS def FROM pg_trigger WHERE tgrelid = old_table AND NOT tgisinternal
  LOOP
    definitions := definitions || part.def;
    EXECUTE format('DROP TRIGGER %I ON %s', part.name, old_table);
  END LOOP;
  FOR part IN
    SELECT string_agg(a.privilege_type, ', ') AS rights, pg_get_userbyid(a.grantee) AS role
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = old_table AND a.grantee <> c.relowner AND a.grantee <> 0
    GROUP BY a.grantee
  LOOP
    definitions := definitions || format('GRANT %s ON %I TO %I', part.rights, "table_name", part.role);
  END LOOP;
  EXECUTE format('ALTER TABLE %I RENAME TO %I', "table_name", first_name);
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (%I)',
    "table_name", first_name, "key");
  FOREACH definition IN ARRAY definitions LOOP EXECUTE definition; END LOOP;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', "table_name", first_name,
    (SELECT "upper_id" FROM "first_run_partition"));
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', first_name, "table_name" || '_first');
END $$;
SELECT "partition_run_table"("name", "key") FROM "partitioned_run_tables"() WHERE "name" = 'executions';
SELECT "partition_run_table"("name", "key") FROM "partitioned_run_tables"() WHERE "name" = 'node_runs';
SELECT "partition_run_table"("name", "key") FROM "partitioned_run_tables"() WHERE "name" = 'node_iterations';
SELECT "partition_run_table"("name", "key") FROM "partitioned_run_tables"() WHERE "name" = 'execution_texts';
DROP FUNCTION IF EXISTS "partition_run_table"(TEXT, TEXT);
DROP TABLE IF EXISTS "first_run_partition";

-- What follows is called by workers, whose role may not be the owner of the tables.

-- Creates partitions of all tables of runs, each for so long, until there are some for runs of that time. Their storage
-- parameters are those of the partitions before them. @returns how many, of each table.
CREATE OR REPLACE FUNCTION "create_run_partitions"("until" TIMESTAMPTZ, "span" INTERVAL) RETURNS INTEGER
  LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  last record;
  next_upper uuid;
  next_suffix text;
  t record;
  created integer := 0;
BEGIN
  IF "span" < interval '1 day' OR "until" > now() + interval '1 year' THEN
    RAISE EXCEPTION 'partitions are for a day or longer, and for a year ahead at most';
  END IF;
  PERFORM pg_advisory_xact_lock(3325007);
  LOOP
    SELECT * INTO STRICT last FROM "run_partitions" WHERE "table_name" = 'executions' ORDER BY "upper_id" DESC LIMIT 1;
    EXIT WHEN "time_of_id"(last."upper_id") >= "until";
    -- After a pause of the instance, one partition reaches into the present: there are no runs of that time.
    next_upper := "first_id_of"(greatest("time_of_id"(last."upper_id"), date_trunc('day', now())) + "span");
    next_suffix := to_char("time_of_id"(last."upper_id") AT TIME ZONE 'UTC', '"p"YYYYMMDD');
    FOR t IN
      SELECT r."name", r."name" || '_' || next_suffix AS next_name, array_to_string(c.reloptions, ', ') AS options
      FROM "partitioned_run_tables"() r JOIN pg_class c ON c.oid = to_regclass(quote_ident(r."name" || '_' || last."suffix"))
    LOOP
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING CONSTRAINTS)', t.next_name, t."name");
      IF t.options <> '' THEN EXECUTE format('ALTER TABLE %I SET (%s)', t.next_name, t.options); END IF;
      -- Other than CREATE TABLE ... PARTITION OF, this lets others read and write the table.
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        t."name", t.next_name, last."upper_id", next_upper);
    END LOOP;
    created := created + 1;
  END LOOP;
  RETURN created;
END $$;

-- Returns whether all runs of a partition finished before a time, and none of them is being rerun.
CREATE OR REPLACE FUNCTION "is_run_partition_expired"("partition" TEXT, "lower_id" UUID, "upper_id" UUID, "expired_before" TIMESTAMPTZ)
  RETURNS BOOLEAN LANGUAGE plpgsql STABLE AS $$
DECLARE is_expired boolean;
BEGIN
  -- Served by executions_deadline, executions_with_data, executions_without_data and executions_repeated.
  EXECUTE format('SELECT NOT EXISTS (SELECT FROM %1$I
      WHERE "status" IN (''pending'', ''running'', ''paused'', ''waiting_for_input'', ''waiting_for_human''))
    AND NOT EXISTS (SELECT FROM %1$I WHERE "finished_at" >= $1 AND "finished_at" IS NOT NULL AND "trigger_data" IS NOT NULL)
    AND NOT EXISTS (SELECT FROM %1$I WHERE "finished_at" >= $1 AND "finished_at" IS NOT NULL AND "trigger_data" IS NULL)
    AND NOT EXISTS (SELECT FROM "executions" WHERE "rerun_of" >= coalesce($2, ''00000000-0000-0000-0000-000000000000'')
      AND "rerun_of" < $3 AND "finished_at" IS NULL)', "partition")
    INTO is_expired USING "expired_before", "lower_id", "upper_id";
  RETURN is_expired;
END $$;

-- Detaches the oldest partition whose runs all finished before a time, so that its runs are gone at once. It waits for
-- locks for a moment only. @returns its suffix; null if there is none, or the tables are in use.
CREATE OR REPLACE FUNCTION "detach_expired_run_partition"("expired_before" TIMESTAMPTZ) RETURNS TEXT
  LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  p record;
  t record;
BEGIN
  FOR p IN
    SELECT * FROM "run_partitions" r WHERE r."table_name" = 'executions' AND r."upper_id" <= "first_id_of"("expired_before")
      -- The next partitions begin where the last one ends.
      AND EXISTS (SELECT FROM "run_partitions" later WHERE later."table_name" = 'executions' AND later."upper_id" > r."upper_id")
    ORDER BY r."upper_id"
  LOOP
    CONTINUE WHEN NOT "is_run_partition_expired"(p."partition_name", p."lower_id", p."upper_id", "expired_before");
    -- A vacuum in progress yields to a statement that waits for a second. This one blocks no reader or writer meanwhile.
    PERFORM set_config('lock_timeout', '3s', true);
    FOR t IN SELECT * FROM "partitioned_run_tables"() LOOP
      EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = false)', t."name" || '_' || p."suffix");
    END LOOP;
    PERFORM set_config('lock_timeout', '100ms', true);
    FOR t IN SELECT * FROM "partitioned_run_tables"() LOOP
      EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', t."name");
    END LOOP;
    -- A run may have been rerun, or be written by a process whose clock is behind, until the tables were locked.
    IF NOT "is_run_partition_expired"(p."partition_name", p."lower_id", p."upper_id", "expired_before") THEN
      RAISE EXCEPTION USING ERRCODE = 'lock_not_available';
    END IF;
    FOR t IN SELECT * FROM "partitioned_run_tables"() LOOP
      EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', t."name", t."name" || '_' || p."suffix");
    END LOOP;
    RETURN p."suffix";
  END LOOP;
  RETURN NULL;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN NULL;
END $$;

-- The suffixes of partitions that were detached and are yet to be dropped.
CREATE OR REPLACE FUNCTION "detached_run_partitions"() RETURNS SETOF TEXT
  LANGUAGE sql STABLE AS $$
  SELECT substring(relname FROM 'p[0-9]+$') FROM pg_class
  WHERE relname ~ '^executions_p[0-9]+$' AND relkind = 'r' AND NOT relispartition
    AND relnamespace = current_schema()::regnamespace
  ORDER BY relname
$$;

-- Deletes rows of other tables that belong to runs of a detached partition. @returns how many, 0 once there are none.
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

-- Drops a detached partition, and subtracts the bytes of its runs from their workspaces. @returns the number of its
-- runs; 0 if there is no such partition, or another process is dropping one.
CREATE OR REPLACE FUNCTION "drop_detached_run_partition"("suffix" TEXT) RETURNS BIGINT
  LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  runs bigint;
  t record;
BEGIN
  IF NOT "suffix" IN (SELECT "detached_run_partitions"()) THEN RETURN 0; END IF;
  -- A worker that lost the lease may still be dropping it.
  IF NOT pg_try_advisory_xact_lock(3325008) THEN RETURN 0; END IF;
  EXECUTE format('WITH sums AS (
      SELECT "workspace_id", sum("stored_bytes") AS bytes, count(*) AS runs FROM %I GROUP BY "workspace_id"
    ), subtracted AS (
      INSERT INTO "storage_changes" ("workspace_id", "bytes") SELECT "workspace_id", -bytes FROM sums WHERE bytes > 0
    )
    SELECT coalesce(sum(runs), 0) FROM sums', 'executions_' || "suffix") INTO runs;
  FOR t IN SELECT * FROM "partitioned_run_tables"() LOOP
    EXECUTE format('DROP TABLE %I', t."name" || '_' || "suffix");
  END LOOP;
  RETURN runs;
END $$;

-- Gathers what the planner knows of a partition. An owner's right, so that partitions need no rights of their own.
CREATE OR REPLACE FUNCTION "analyze_run_partition"("partition" TEXT) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF EXISTS (SELECT FROM "run_partitions" WHERE "partition_name" = "partition") THEN EXECUTE format('ANALYZE %I', "partition"); END IF;
END $$;

-- Functions that run with the owner's rights find only the tables of this schema, and only roles that were granted it
-- may call them. Days are those of UTC, without changes of the clocks: partitions are named by them.
DO $$
DECLARE f text;
BEGIN
  FOREACH f IN ARRAY ARRAY['create_run_partitions(timestamptz, interval)', 'detach_expired_run_partition(timestamptz)',
    'delete_leftovers_of_run_partition(text, integer)', 'drop_detached_run_partition(text)', 'analyze_run_partition(text)']
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    EXECUTE format('ALTER FUNCTION %s SET timezone = ''UTC''', f);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;

SELECT "create_run_partitions"(now() + interval '15 days', interval '8 days');
