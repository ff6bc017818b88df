-- Whether an answer is recorded whose caller may not know of it yet. Without a default, no row is rewritten.
ALTER TABLE "waits" ADD COLUMN "is_unconfirmed" BOOLEAN;
