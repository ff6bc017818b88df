-- Options of a start. Without a default, no row is rewritten.
ALTER TABLE "executions" ADD COLUMN "tags" TEXT[], ADD COLUMN "metadata" JSONB;
ALTER TABLE "schedules" ADD COLUMN "start_options" TEXT;

-- Hashes of the members of metadata that are no object or list, by which lists filter. Their number is bounded by that
-- of the members, unlike the entries that an index of `jsonb` has.
CREATE FUNCTION "metadata_hashes"("metadata" JSONB) RETURNS BIGINT[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array_agg(hashtextextended(m."key" || '=' || (m."value" #>> '{}'), 0))
  FROM jsonb_each("metadata") m WHERE jsonb_typeof(m."value") NOT IN ('object', 'array', 'null')
$$;
