-- Reads partitions of runs that were detached, for their archive. The role of the apps has no rights to these tables:
-- those of their partitioned tables end with the detaching. Nothing can change in them any more.

-- Rows of a table that belong to runs of a detached partition, in the order of their keys, after a given one: after all
-- rows of a run if only the run is given. `key` is what follows the run's id in the key; of runs themselves, what an
-- archive is searched by.
CREATE OR REPLACE FUNCTION "read_detached_run_partition"("suffix" TEXT, "of" TEXT, "after_run" UUID, "after_key" TEXT[], "max_rows" INTEGER)
  RETURNS TABLE("execution_id" UUID, "key" TEXT[], "row" TEXT) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
  first_id uuid;
  last_id uuid;
BEGIN
  IF NOT "suffix" IN (SELECT "detached_run_partitions"()) THEN RETURN; END IF;
  EXECUTE format('SELECT "id" FROM %I ORDER BY "id" LIMIT 1', 'executions_' || "suffix") INTO first_id;
  EXECUTE format('SELECT "id" FROM %I ORDER BY "id" DESC LIMIT 1', 'executions_' || "suffix") INTO last_id;
  CASE "of"
    WHEN 'executions' THEN
      RETURN QUERY EXECUTE format('SELECT e."id", ARRAY[e."workspace_id"::text, e."workflow_id"::text,
          to_char(e."created_at", ''YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'')], row_to_json(e)::text
        FROM %I e WHERE e."id" > $1 ORDER BY e."id" LIMIT $2', 'executions_' || "suffix") USING "after_run", "max_rows";
    WHEN 'node_runs' THEN
      RETURN QUERY EXECUTE format('SELECT r."execution_id", ARRAY[r."node_id"], row_to_json(r)::text FROM %I r WHERE %s
        ORDER BY r."execution_id", r."node_id" LIMIT $3', 'node_runs_' || "suffix", CASE WHEN "after_key" IS NULL
          THEN 'r."execution_id" > $1' ELSE '(r."execution_id", r."node_id") > ($1, $2[1])' END)
        USING "after_run", "after_key", "max_rows";
    WHEN 'node_iterations' THEN
      RETURN QUERY EXECUTE format('SELECT r."execution_id", ARRAY[r."node_id", r."iteration"], row_to_json(r)::text
        FROM %I r WHERE %s ORDER BY r."execution_id", r."node_id", r."iteration" LIMIT $3', 'node_iterations_' || "suffix",
        CASE WHEN "after_key" IS NULL
          THEN 'r."execution_id" > $1' ELSE '(r."execution_id", r."node_id", r."iteration") > ($1, $2[1], $2[2])' END)
        USING "after_run", "after_key", "max_rows";
    WHEN 'waits' THEN
      RETURN QUERY EXECUTE format('SELECT r."execution_id", ARRAY[r."node_id", r."iteration"], row_to_json(r)::text
        FROM "waits" r WHERE r."execution_id" BETWEEN $4 AND $5 AND %s
        ORDER BY r."execution_id", r."node_id", r."iteration" LIMIT $3', CASE WHEN "after_key" IS NULL
          THEN 'r."execution_id" > $1' ELSE '(r."execution_id", r."node_id", r."iteration") > ($1, $2[1], $2[2])' END)
        USING "after_run", "after_key", "max_rows", first_id, last_id;
    WHEN 'large_outputs' THEN
      RETURN QUERY EXECUTE format('SELECT r."execution_id", ARRAY[r."id"::text], json_build_object(''id'', r."id")::text
        FROM "large_outputs" r WHERE r."execution_id" BETWEEN $4 AND $5 AND %s
        ORDER BY r."execution_id", r."id" LIMIT $3', CASE WHEN "after_key" IS NULL
          THEN 'r."execution_id" > $1' ELSE '(r."execution_id", r."id") > ($1, $2[1]::uuid)' END)
        USING "after_run", "after_key", "max_rows", first_id, last_id;
  END CASE;
END $$;

-- The number of runs of a detached partition, and the sum of the last 32 bits of their ids. No row without a partition.
CREATE OR REPLACE FUNCTION "sum_detached_run_partition"("suffix" TEXT)
  RETURNS TABLE("runs" BIGINT, "checksum" BIGINT) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
  IF NOT "suffix" IN (SELECT "detached_run_partitions"()) THEN RETURN; END IF;
  RETURN QUERY EXECUTE format('SELECT count(*), coalesce(sum((''x'' || right("id"::text, 8))::bit(32)::bigint), 0)::bigint
    FROM %I', 'executions_' || "suffix");
END $$;

DO $$
DECLARE f text;
BEGIN
  FOREACH f IN ARRAY ARRAY['read_detached_run_partition(text, text, uuid, text[], integer)', 'sum_detached_run_partition(text)']
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
    EXECUTE format('ALTER FUNCTION %s SET timezone = ''UTC''', f);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;
