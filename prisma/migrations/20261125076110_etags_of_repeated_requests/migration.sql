-- The ETag of a response, for requests that are repeated with its Idempotency-Key.
ALTER TABLE "idempotent_requests" ADD COLUMN "etag" TEXT;
