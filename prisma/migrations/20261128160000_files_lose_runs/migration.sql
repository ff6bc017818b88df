-- As before, also for files that expire already: somebody may have stored the same content, or the sweep may be about to
-- keep the file for the run that stops naming it. Whoever writes the row first, it expires.
CREATE OR REPLACE FUNCTION "expire_unnamed_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH locked AS (
    SELECT id FROM files WHERE id IN (SELECT file_id FROM removed) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE files f SET expires_at = greatest(f.expires_at, now() + interval '30 minutes') FROM locked l WHERE l.id = f.id;
  RETURN NULL;
END $$;
