-- How many runs a run started, directly and through others. No foreign key: it is deleted with its run.
CREATE TABLE "run_families" (
    "root_execution_id" UUID NOT NULL,
    "started" INTEGER NOT NULL,

    CONSTRAINT "run_families_pkey" PRIMARY KEY ("root_execution_id")
);
