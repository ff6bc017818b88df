-- The run that has stored a file, for the limit of its files. Null for those that older processes store.
ALTER TABLE "files" ADD COLUMN "stored_by" UUID;
