import { DeckhandError, fileIdsIn, type StoredFile } from '@deckhand/contracts';
import { type Actor, memberMay, requirePermission } from './access.ts';
import { recordChange } from './audit/record.ts';
import { type Database, Prisma, type Queryable } from './client.ts';
import { executeWithRawParameters } from './connection.ts';

/*
 * Files of workspaces. A file that is being written is a row of `unfinished_files`, and its parts. It becomes a row of
 * `files`, unless the workspace has the same content already. A file that no run names has an `expires_at`; the sweep
 * turns it into an unfinished one that has expired, and deletes the content of those.
 *
 * Race: a run names a file while the sweep deletes it. Naming clears `expires_at`, so a sweep that waited for the row
 * reads it again and leaves it; a sweep that came first leaves nothing to name.
 *
 * Race: a file loses its last run while the sweep keeps it for that run, or while a form that stored it is refused. The
 * trigger `expire_unnamed_files` locks the row and gives it half an hour, also if it expires already. Nobody but a run
 * that names the file, and the sweep, which locks it and so comes before or after the trigger, clears `expires_at`.
 */

/** How long a process that writes a file may be silent. After that, it can only fail: the sweep deletes the content. */
const WRITING = Prisma.sql`interval '10 minutes'`;
/** When a file expires at once. The column rounds to milliseconds, and a time that is rounded up is in the future. */
const AT_ONCE = Prisma.sql`date_trunc('milliseconds', now())`;

/** A file that is being written. */
export interface NewFile {
  readonly id: string;
  readonly workspaceId: string;
  /** The run that writes it, whose files are summed up; undefined outside of runs. */
  readonly executionId?: string | undefined;
  /** Whether the object store will have it. */
  readonly isApart: boolean;
  /** What there is of it already. */
  readonly bytes: number;
  /** Maximum number of bytes that all workspaces store together; undefined for no limit. */
  readonly maxInstanceBytes?: number | undefined;
}

/** The space that is left for a file. */
export interface FileSpace {
  /** Bytes left of the storage quota of the workspace; null without one. */
  readonly quotaBytes: number | null;
  /** Bytes left of `maxInstanceBytes`, by the sums of maintenance, which are some seconds old; null without one. */
  readonly instanceBytes: number | null;
  /** Bytes of all different files that the run names, or has stored and nobody has swept. */
  readonly runBytes: number;
}

/**
 * Records that a file is being written. Repeating it changes nothing.
 * @returns undefined if the workspace is gone.
 */
export async function beginFile(db: Database, file: NewFile): Promise<FileSpace | undefined> {
  const [row] = await db.$queryRaw<FileSpace[]>(Prisma.sql`/* files.begin */
    WITH begun AS (
      INSERT INTO unfinished_files (id, workspace_id, is_apart, bytes, expires_at)
      SELECT ${file.id}::uuid, w.id, ${file.isApart}, ${file.bytes}::bigint, now() + ${WRITING}
      FROM workspaces w WHERE w.id = ${file.workspaceId}::uuid
      ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at
    )
    SELECT ${spaceFor(file)} FROM workspaces w WHERE w.id = ${file.workspaceId}::uuid`);
  return row;
}

/**
 * Extends the time of a file that is being written, and records how many bytes of it are.
 * @returns undefined if it was swept.
 */
export async function renewFile(db: Database, file: NewFile): Promise<FileSpace | undefined> {
  const [row] = await db.$queryRaw<FileSpace[]>(Prisma.sql`/* files.renew */
    WITH renewed AS (
      UPDATE unfinished_files SET expires_at = now() + ${WRITING}, bytes = ${file.bytes}::bigint
      WHERE id = ${file.id}::uuid AND expires_at > now() RETURNING workspace_id
    )
    SELECT ${spaceFor(file)} FROM renewed r JOIN workspaces w ON w.id = r.workspace_id`);
  return row;
}

/**
 * The columns of `FileSpace` of a workspace `w`. What is being written of other files counts towards its quota, too.
 * Files that the run has stored are found by a partial index of those that expire.
 */
function spaceFor({ id, executionId, maxInstanceBytes }: NewFile): Prisma.Sql {
  const run = Prisma.sql`${executionId ?? null}::uuid`;
  const instanceBytes =
    maxInstanceBytes === undefined
      ? Prisma.sql`NULL::float8`
      : Prisma.sql`${maxInstanceBytes}::float8 - (SELECT sum(stored_bytes) FROM workspaces)::float8`;
  return Prisma.sql`(w.storage_quota_bytes - w.stored_bytes - (
      SELECT coalesce(sum(o.bytes), 0) FROM unfinished_files o
      WHERE o.workspace_id = w.id AND o.id <> ${id}::uuid AND o.expires_at > now()))::float8 AS "quotaBytes",
    ${instanceBytes} AS "instanceBytes",
    (SELECT coalesce(sum(f.bytes), 0)::float8 FROM files f WHERE f.workspace_id = w.id AND f.id IN (
       SELECT x.file_id FROM execution_files x WHERE x.execution_id = ${run}
       UNION SELECT s.id FROM files s WHERE s.stored_by = ${run} AND s.expires_at IS NOT NULL)) AS "runBytes"`;
}

/** Stores a part of a file that is being written. May be repeated. @returns false if the file was swept. */
export async function writeFilePart(db: Database, id: string, part: number, data: Uint8Array): Promise<boolean> {
  // Locked, so that the file is not forgotten before this part can be seen.
  const count = await executeWithRawParameters(
    db,
    Prisma.sql`/* files.write-part */
    WITH unfinished AS (SELECT id FROM unfinished_files WHERE id = ${id}::uuid AND expires_at > now() FOR KEY SHARE)
    INSERT INTO file_parts (file_id, part, data) SELECT id, ${part}::int, ${data} FROM unfinished
    ON CONFLICT (file_id, part) DO UPDATE SET data = EXCLUDED.data`,
  );
  return count > 0;
}

/** The content of a file. */
export interface FileContent {
  readonly workspaceId: string;
  /** 32 bytes. */
  readonly sha256: Uint8Array;
  /** The run that stores it; undefined outside of runs. */
  readonly executionId?: string | undefined;
}

/** Finds a file by its content, and keeps it for at least so many minutes. @returns undefined without one. */
export async function findSameFile(
  db: Database,
  { workspaceId, sha256, executionId }: FileContent,
  minutes: number,
): Promise<FinishedFile | undefined> {
  const [row] = await db.$queryRaw<FinishedFile[]>(Prisma.sql`/* files.find-same */
    WITH same AS (
      SELECT id, expires_at FROM files WHERE workspace_id = ${workspaceId}::uuid AND sha256 = ${sha256} FOR NO KEY UPDATE
    )
    UPDATE files SET expires_at = ${laterExpiry(minutes)}, stored_by = coalesce(${executionId ?? null}::uuid, stored_by)
    FROM same s WHERE files.id = s.id
    RETURNING files.id, files.expires_at AS "expiresAt", s.expires_at AS "expiredBefore"`);
  return row;
}

/**
 * Also of a file that runs name, which may lose the last of them in the meantime. `greatest` ignores null. Always later
 * than before, so that `discardFile` notices that somebody else keeps the file.
 */
function laterExpiry(minutes: number): Prisma.Sql {
  return Prisma.sql`greatest(files.expires_at + interval '1 millisecond', now() + ${minutes}::int * interval '1 minute')`;
}

/** A file that was just stored. */
export interface FinishedFile {
  readonly id: string;
  /** Null if a run names it, or another one was finished first. */
  readonly expiresAt: Date | null;
  /** When it would have expired otherwise, if it was there; null if a run had named it. */
  readonly expiredBefore?: Date | null;
}

/** A file whose content is stored. */
interface WrittenFile extends FileContent {
  readonly id: string;
  readonly bytes: number;
}

/**
 * Finishes a file whose content is stored, and adds its bytes to those of the workspace. Repeating it changes nothing.
 *
 * Race: files that finish at the same moment exceed the quota of their workspace together. Its row is locked first, and
 * the bytes are summed up by a later statement, which sees those of the transaction that had the lock before. Content
 * that the workspace has already takes no room.
 * @param minutes how long it is kept until a run names it.
 * @returns the workspace's file with this content, which is another one if that was finished first: then this one is
 * still unfinished. Undefined if it was swept; `noRoom` if the quota has no room for it.
 */
export function finishFile(
  db: Database,
  file: WrittenFile,
  minutes: number,
): Promise<FinishedFile | 'noRoom' | undefined> {
  return db.$transaction(async (tx) => {
    await tx.$queryRaw(Prisma.sql`/* files.lock-quota */
      SELECT id FROM workspaces WHERE id = ${file.workspaceId}::uuid AND storage_quota_bytes IS NOT NULL FOR NO KEY UPDATE`);
    return finishWithin(tx, file, minutes);
  });
}

async function finishWithin(
  tx: Queryable,
  { id, workspaceId, sha256, bytes, executionId }: WrittenFile,
  minutes: number,
): Promise<FinishedFile | 'noRoom' | undefined> {
  const [row] = await tx.$queryRaw<(FinishedFile | { readonly id: null })[]>(Prisma.sql`/* files.finish */
    WITH written AS (
      SELECT id, is_apart FROM unfinished_files WHERE id = ${id}::uuid AND expires_at > now() FOR UPDATE
    ), unfinished AS (
      SELECT written.id, written.is_apart FROM written, workspaces w
      WHERE w.id = ${workspaceId}::uuid AND (
        w.storage_quota_bytes IS NULL
        OR w.stored_bytes + ${bytes}::bigint + (
          SELECT coalesce(sum(c.bytes), 0) FROM storage_changes c WHERE c.workspace_id = w.id) <= w.storage_quota_bytes
        OR EXISTS (SELECT 1 FROM files f WHERE f.workspace_id = w.id AND f.sha256 = ${sha256}))
    ), kept AS (
      INSERT INTO files (id, workspace_id, sha256, bytes, is_apart, expires_at, stored_by)
      SELECT id, ${workspaceId}::uuid, ${sha256}, ${bytes}::bigint, is_apart, now() + ${minutes}::int * interval '1 minute',
        ${executionId ?? null}::uuid FROM unfinished
      ON CONFLICT (workspace_id, sha256) DO UPDATE
        SET expires_at = ${laterExpiry(minutes)}, stored_by = coalesce(EXCLUDED.stored_by, files.stored_by)
      RETURNING id, expires_at
    ), finished AS (
      DELETE FROM unfinished_files u USING kept k WHERE u.id = k.id RETURNING u.workspace_id
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes) SELECT workspace_id, ${bytes}::bigint FROM finished
    )
    SELECT id, CASE id WHEN ${id}::uuid THEN expires_at END AS "expiresAt" FROM kept
    UNION ALL SELECT id, expires_at FROM files WHERE id = ${id}::uuid
    UNION ALL SELECT NULL, NULL FROM written WHERE NOT EXISTS (SELECT 1 FROM unfinished)`);
  return row?.id === null ? 'noRoom' : row;
}

/**
 * Lets a file expire as if it had not been stored: a new one at once. One that a run had named may have lost it since,
 * so the sweep checks that later. Does nothing if a run names it, or somebody else has kept it since.
 */
export async function discardFile(db: Database, { id, expiresAt, expiredBefore }: FinishedFile): Promise<void> {
  const before =
    expiredBefore === undefined
      ? AT_ONCE
      : Prisma.sql`coalesce(${expiredBefore}::timestamptz, now() + interval '30 minutes')`;
  await db.$executeRaw(Prisma.sql`/* files.discard */
    UPDATE files SET expires_at = ${before} WHERE id = ${id}::uuid AND expires_at = ${expiresAt}`);
}

/**
 * Keeps files of a workspace that are about to expire for some minutes from now, until a run names them. Others expire
 * when they would, so that `discardFile` notices no change.
 * @param minutes less than half of them are about to be over.
 * @returns false if one of the files was swept.
 */
export async function keepFiles(
  db: Database,
  workspaceId: string,
  { ids, minutes }: { readonly ids: readonly string[]; readonly minutes: number },
): Promise<boolean> {
  const time = Prisma.sql`${minutes}::int * interval '1 minute'`;
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* files.keep */
    WITH locked AS (
      SELECT id FROM files WHERE id = ANY (${[...ids]}::uuid[]) AND workspace_id = ${workspaceId}::uuid
      ORDER BY id FOR NO KEY UPDATE
    ), kept AS (
      UPDATE files f SET expires_at = now() + ${time} FROM locked l WHERE f.id = l.id AND f.expires_at < now() + ${time} / 2
    )
    SELECT count(*)::int AS count FROM locked`);
  return row?.count === new Set(ids).size;
}

/** A finished file. */
export interface KeptFile {
  readonly id: string;
  readonly workspaceId: string;
  readonly bytes: number;
  readonly isApart: boolean;
}

const KEPT = Prisma.sql`f.id, f.workspace_id AS "workspaceId", f.bytes::float8 AS bytes, f.is_apart AS "isApart"`;

/** Finds a file of a workspace; undefined if the workspace does not have it. */
export async function findFile(db: Database, workspaceId: string, id: string): Promise<KeptFile | undefined> {
  const [row] = await db.$queryRaw<KeptFile[]>(Prisma.sql`/* files.find */
    SELECT ${KEPT} FROM files f WHERE f.id = ${id}::uuid AND f.workspace_id = ${workspaceId}::uuid`);
  return row;
}

/** Finds those of the given files that a workspace has, with exactly these bytes. @returns their ids. */
export async function findSameContents(
  db: Database,
  workspaceId: string,
  files: readonly StoredFile[],
): Promise<ReadonlySet<string>> {
  const rows = await db.file.findMany({
    where: { workspaceId, id: { in: files.map(({ id }) => id) } },
    select: { id: true, bytes: true, sha256: true },
  });
  const found = new Map(rows.map(({ id, ...content }) => [id, content]));
  const isSame = ({ id, bytes, sha256 }: StoredFile): boolean => {
    const content = found.get(id.toLowerCase());
    return Number(content?.bytes) === bytes && Buffer.from(content?.sha256 ?? []).toString('hex') === sha256;
  };
  return new Set(files.filter(isSame).map(({ id }) => id));
}

/** A file that a run names, with its digest in hexadecimal. */
export interface ArchivedFile extends KeptFile {
  readonly sha256: string;
}

/** Returns those of the given runs that name files. */
export async function findRunsWithFiles(db: Database, executionIds: readonly string[]): Promise<ReadonlySet<string>> {
  const where = { executionId: { in: [...executionIds] } };
  const rows = await db.executionFile.findMany({ where, distinct: ['executionId'], select: { executionId: true } });
  return new Set(rows.map(({ executionId }) => executionId));
}

/** Finds files that a run names, after an id and in the order of their ids. */
export function findFilesOfRun(
  db: Database,
  executionId: string,
  page: { readonly after: string; readonly limit: number },
): Promise<ArchivedFile[]> {
  return db.$queryRaw<ArchivedFile[]>(Prisma.sql`/* files.find-all-of-run */
    SELECT ${KEPT}, encode(f.sha256, 'hex') AS sha256 FROM execution_files x JOIN files f ON f.id = x.file_id
    WHERE x.execution_id = ${executionId}::uuid AND x.file_id > ${page.after}::uuid
    ORDER BY x.file_id LIMIT ${page.limit}::int`);
}

/** A file and the run that names it. */
export interface FileOfRun {
  readonly executionId: string;
  readonly fileId: string;
}

/** Finds a file that a run names, if the actor may see the run; undefined otherwise. */
export async function findVisibleFile(
  db: Queryable,
  actor: Actor,
  { executionId, fileId }: FileOfRun,
): Promise<KeptFile | undefined> {
  const [row] = await db.$queryRaw<KeptFile[]>(Prisma.sql`/* files.find-visible */
    SELECT ${KEPT} FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')}
    JOIN execution_files x ON x.execution_id = e.id AND x.file_id = ${fileId}::uuid
    JOIN files f ON f.id = x.file_id AND f.workspace_id = e.workspace_id
    WHERE e.id = ${executionId}::uuid
      AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`);
  return row;
}

/**
 * Lets anybody with a link download a file that a run names, and records that in the audit log.
 * @returns when the link expires, by the database's clock.
 * @throws DeckhandError NOT_FOUND if the run does not name the file, or the actor may not see it; FORBIDDEN.
 */
export function linkFile(db: Database, actor: Actor, file: FileOfRun, expiresInSeconds: number): Promise<Date> {
  return db.$transaction(async (tx) => {
    const found = await findVisibleFile(tx, actor, file);
    if (!found) throw new DeckhandError('NOT_FOUND', { message: 'The run has no such file' });
    const { workspaceId } = found;
    await requirePermission(tx, actor, workspaceId, 'files.share');
    const [row] = await tx.$queryRaw<{ expiresAt: Date }[]>`
      SELECT date_trunc('milliseconds', now()) + ${expiresInSeconds}::int * interval '1 second' AS "expiresAt"`;
    if (!row) throw new Error('the database has no time');
    const { expiresAt } = row;
    const details = { fileId: file.fileId, expiresAt: expiresAt.toISOString() };
    await recordChange(tx, actor, { action: 'execution.linkFile', workspaceId, resourceId: file.executionId, details });
    return expiresAt;
  });
}

/** Finds a file that a run names, until a link to it expires or its workspace is deleted; undefined otherwise. */
export async function findLinkedFile(
  db: Database,
  { executionId, fileId, expiresAt }: FileOfRun & { readonly expiresAt: Date },
): Promise<KeptFile | undefined> {
  const [row] = await db.$queryRaw<KeptFile[]>(Prisma.sql`/* files.find-linked */
    SELECT ${KEPT} FROM execution_files x JOIN files f ON f.id = x.file_id JOIN workspaces w ON w.id = f.workspace_id
    WHERE x.execution_id = ${executionId}::uuid AND x.file_id = ${fileId}::uuid AND now() < ${expiresAt}`);
  return row;
}

/** Finds a file that a run names; undefined if the run does not. */
export async function findFileOfRun(db: Database, { executionId, fileId }: FileOfRun): Promise<KeptFile | undefined> {
  const [row] = await db.$queryRaw<KeptFile[]>(Prisma.sql`/* files.find-of-run */
    SELECT ${KEPT} FROM execution_files x JOIN files f ON f.id = x.file_id
    WHERE x.execution_id = ${executionId}::uuid AND x.file_id = ${fileId}::uuid`);
  return row;
}

/** Reads a part of a file in PostgreSQL; undefined if it does not exist. */
export async function readFilePart(db: Database, id: string, part: number): Promise<Uint8Array | undefined> {
  const [row] = await db.$queryRaw<{ data: Uint8Array }[]>(Prisma.sql`/* files.read-part */
    SELECT data FROM file_parts WHERE file_id = ${id}::uuid AND part = ${part}::int`);
  return row?.data;
}

/**
 * Records that a run names files, which are kept as long as it is. Ids that are not those of files of its workspace are
 * ignored. Repeating it changes nothing.
 */
export async function nameFiles(db: Queryable, executionId: string, ids: readonly string[]): Promise<void> {
  const named = ids.map((fileId) => ({ executionId, fileId }));
  // The run is locked, so that it is not deleted before the row that goes with it exists.
  await db.$executeRaw(Prisma.sql`/* files.name */
    WITH inserted AS (
      SELECT id, workspace_id FROM executions WHERE id = ${executionId}::uuid FOR KEY SHARE
    )${naming(named)}
    SELECT`);
}

/**
 * Returns the rest of the common table expressions of a statement that starts runs: they record the files that the
 * inputs name. Empty for inputs without files. The one before is `inserted`, with the id and the workspace of each run.
 */
export function namingFilesOf(
  requests: readonly { readonly executionId: string; readonly triggerData: string }[],
): Prisma.Sql {
  const named = requests.flatMap(({ executionId, triggerData }) =>
    fileIdsIn(triggerData).map((fileId) => ({ executionId, fileId })),
  );
  return named.length === 0 ? Prisma.empty : naming(named);
}

function naming(named: readonly { readonly executionId: string; readonly fileId: string }[]): Prisma.Sql {
  return Prisma.sql`, found_files AS (
      SELECT id, workspace_id FROM files WHERE id = ANY (${named.map(({ fileId }) => fileId)}::uuid[])
      ORDER BY id FOR NO KEY UPDATE
    ), named_files AS (
      SELECT r.id AS execution_id, f.id AS file_id
      FROM unnest(${named.map(({ executionId }) => executionId)}::uuid[], ${named.map(({ fileId }) => fileId)}::uuid[]) AS n (execution_id, file_id)
      JOIN inserted r ON r.id = n.execution_id JOIN found_files f ON f.id = n.file_id AND f.workspace_id = r.workspace_id
    ), kept_files AS (
      UPDATE files f SET expires_at = NULL FROM (SELECT DISTINCT file_id FROM named_files) n
      WHERE f.id = n.file_id AND f.expires_at IS NOT NULL
    ), files_of_runs AS (
      INSERT INTO execution_files (execution_id, file_id) SELECT execution_id, file_id FROM named_files
      ON CONFLICT DO NOTHING
    )`;
}

/**
 * Turns files that have expired, and that no run names, into unfinished ones, and subtracts their bytes from their
 * workspaces. @returns how many files had expired.
 */
export async function expireFiles(db: Database, limit: number): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* files.expire */
    WITH due AS (
      SELECT id FROM files WHERE expires_at < now() ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), named AS (
      UPDATE files f SET expires_at = NULL FROM due d
      WHERE f.id = d.id AND EXISTS (SELECT 1 FROM execution_files x WHERE x.file_id = f.id)
    ), gone AS (
      DELETE FROM files f USING due d
      WHERE f.id = d.id AND NOT EXISTS (SELECT 1 FROM execution_files x WHERE x.file_id = f.id)
      RETURNING f.id, f.workspace_id, f.is_apart, f.bytes
    ), unfinished AS (
      INSERT INTO unfinished_files (id, workspace_id, is_apart, expires_at)
      SELECT id, workspace_id, is_apart, ${AT_ONCE} FROM gone ON CONFLICT (id) DO NOTHING
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes) SELECT workspace_id, -sum(bytes) FROM gone GROUP BY workspace_id
    )
    SELECT count(*)::int AS count FROM due`);
  return row?.count ?? 0;
}

/** A file that was never finished, or that has expired. */
export type AbandonedFile = Pick<KeptFile, 'id' | 'workspaceId' | 'isApart'>;

/**
 * Lets a file that is being written expire at once. One that was swept is recorded again, because a process that was
 * slow may have written its content since. @returns false if the file is finished: then it stays.
 */
export async function abandonFile(db: Database, { id, workspaceId, isApart }: AbandonedFile): Promise<boolean> {
  const expired = await db.$executeRaw(Prisma.sql`/* files.let-expire */
    UPDATE unfinished_files SET expires_at = ${AT_ONCE} WHERE id = ${id}::uuid`);
  if (expired > 0) return true;
  // A statement of its own: it sees the file that was finished while the one above waited for the row.
  const recorded = await db.$executeRaw(Prisma.sql`/* files.record-abandoned */
    INSERT INTO unfinished_files (id, workspace_id, is_apart, expires_at)
    SELECT ${id}::uuid, ${workspaceId}::uuid, ${isApart}, ${AT_ONCE}
    WHERE NOT EXISTS (SELECT 1 FROM files WHERE id = ${id}::uuid)
    ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at`);
  return recorded > 0;
}

/** Finds files whose content the sweep deletes. */
export function findAbandonedFiles(db: Database, limit: number): Promise<AbandonedFile[]> {
  return db.$queryRaw<AbandonedFile[]>(Prisma.sql`/* files.find-abandoned */
    SELECT id, workspace_id AS "workspaceId", is_apart AS "isApart" FROM unfinished_files
    WHERE expires_at <= now() ORDER BY expires_at LIMIT ${limit}`);
}

/**
 * Makes an abandoned file the last one that `findAbandonedFiles` returns, because it cannot be deleted now. It stays
 * expired, so that no process goes on to write it.
 */
export async function postponeFile(db: Database, id: string): Promise<void> {
  await db.$executeRaw(Prisma.sql`/* files.postpone */
    UPDATE unfinished_files SET expires_at = ${AT_ONCE} WHERE id = ${id}::uuid AND expires_at <= now()`);
}

/** Deletes parts of an unfinished file. @returns how many; `limit` of them means that there may be more. */
export function deleteFileParts(db: Database, id: string, limit: number): Promise<number> {
  return db.$executeRaw(Prisma.sql`/* files.delete-parts */
    DELETE FROM file_parts p USING (
      SELECT file_id, part FROM file_parts WHERE file_id = ${id}::uuid
        AND EXISTS (SELECT 1 FROM unfinished_files u WHERE u.id = ${id}::uuid)
      ORDER BY part LIMIT ${limit} FOR UPDATE
    ) d WHERE p.file_id = d.file_id AND p.part = d.part`);
}

/** Forgets an unfinished file without parts. @returns false if it has parts. */
export async function forgetFile(db: Database, id: string): Promise<boolean> {
  const count = await db.$executeRaw(Prisma.sql`/* files.forget */
    WITH locked AS (SELECT id FROM unfinished_files WHERE id = ${id}::uuid FOR UPDATE)
    DELETE FROM unfinished_files u USING locked l WHERE u.id = l.id
      AND NOT EXISTS (SELECT 1 FROM file_parts p WHERE p.file_id = u.id)`);
  return count > 0;
}
