-- What has been written of a file, for the storage quota of its workspace. 0 for those that older processes write.
ALTER TABLE "unfinished_files" ADD COLUMN "bytes" BIGINT NOT NULL DEFAULT 0;
