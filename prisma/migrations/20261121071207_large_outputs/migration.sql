-- AlterTable
ALTER TABLE "node_iterations" ADD COLUMN     "output_ref" UUID;

-- AlterTable
ALTER TABLE "node_runs" ADD COLUMN     "output_ref" UUID;

-- CreateTable
CREATE TABLE "large_outputs" (
    "id" UUID NOT NULL,
    "execution_id" UUID NOT NULL,
    "data" BYTEA,

    CONSTRAINT "large_outputs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deleted_outputs" (
    "id" UUID NOT NULL,
    "execution_id" UUID NOT NULL,

    CONSTRAINT "deleted_outputs_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "large_outputs_execution_id_idx" ON "large_outputs"("execution_id");

-- What is compressed already gains nothing from being compressed again.
ALTER TABLE "large_outputs" ALTER COLUMN "data" SET STORAGE EXTERNAL;

-- Large outputs go with their runs, whoever deletes those; what another store has is written down for it.
CREATE FUNCTION "forget_large_outputs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH gone AS (
    DELETE FROM large_outputs WHERE execution_id IN (SELECT id FROM removed) RETURNING id, execution_id, data IS NULL AS is_apart
  )
  INSERT INTO deleted_outputs (id, execution_id) SELECT id, execution_id FROM gone WHERE is_apart;
  RETURN NULL;
END $$;

CREATE TRIGGER "forget_large_outputs" AFTER DELETE ON "executions"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "forget_large_outputs"();
