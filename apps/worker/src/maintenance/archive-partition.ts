import {
  type ArchivedFile,
  type Database,
  type DetachedPosition,
  type DetachedRow,
  type DetachedTable,
  findFilesOfRun,
  findRunsWithFiles,
  findWorkspaces,
  FIRST_DETACHED,
  readDetachedRows,
  sumDetachedRuns,
} from '@deckhand/db';
import {
  type Archive,
  type ArchiveManifest,
  type ArchivePart,
  FileError,
  type FileStore,
  OutputGoneError,
  type OutputStore,
} from '@deckhand/outputs';
import type { Logger } from '@deckhand/runtime';

/** Characters after which a part is written. */
const PART_CHARACTERS = 8 * 1_048_576;
/** Number of rows per statement: outputs in rows have up to 64 KiB. */
const PAGE = 200;

/** Tables whose rows follow their run, and what their records are called. */
const PARTS_OF_RUNS = [
  ['node_runs', 'nodeRun'],
  ['node_iterations', 'nodeIteration'],
  ['waits', 'wait'],
  ['large_outputs', 'largeOutput'],
] as const;

/** What archiving needs. */
export interface ArchiveContext {
  readonly db: Database;
  readonly outputs: Pick<OutputStore, 'get'>;
  readonly files: Pick<FileStore, 'read'>;
  readonly archive: Archive;
  readonly logger: Logger;
  /** Characters after which a part is written; 8 MiB by default. */
  readonly partCharacters?: number;
}

/**
 * Copies a detached partition to its archive. Nothing changes in it any more, so an interrupted copy is continued after
 * the last run that it recorded, and two processes that copy the same partition write the same parts. Memory holds one
 * part, a page of each table, and one large output or one part of a file. The files that runs name are copied before
 * the run is recorded.
 * @param isOver returns whether the time is up: the rest is for a later call.
 * @returns true once the archive is complete, or there is nothing to archive: each part was read back, and all runs of
 * the partition are in it, by their number and the checksum of their ids.
 * @throws an error if an archive of that name contains other runs: it is never replaced.
 */
export async function archivePartition(
  { db, outputs, files, archive, logger, partCharacters = PART_CHARACTERS }: ArchiveContext,
  partition: string,
  isOver: () => boolean,
): Promise<boolean> {
  const sums = await sumDetachedRuns(db, partition);
  if (!sums) return false;
  if (sums.runs === 0) return true;
  const complete = await archive.manifest(partition);
  if (complete) {
    requireSameRuns(complete, sums);
    return true;
  }
  let done: ArchiveManifest = (await archive.progress(partition)) ?? empty(partition);
  const writer = createPartWriter(archive, partition, partCharacters);

  /** Records the runs since the last call. A crash before it repeats them, with the same parts. */
  async function record(last: RunSums): Promise<void> {
    const parts = await writer.flush();
    done = {
      ...done,
      runs: done.runs + last.runs,
      leftOut: done.leftOut + last.leftOut,
      checksum: done.checksum + last.checksum,
      records: done.records + last.records,
      lastRun: last.lastRun ?? done.lastRun,
      parts: [...done.parts, ...parts],
    };
    await archive.record(done);
  }

  let since = NOTHING;
  const after = done.lastRun === null ? FIRST_DETACHED : { executionId: done.lastRun, key: null };
  const followers = PARTS_OF_RUNS.map(([table, kind]) => ({ kind, rows: createCursor(db, partition, table, after) }));
  const runs = createCursor(db, partition, 'executions', after);
  const keepFile = createFileKeeper({ files, archive, logger });
  let existing: ReadonlySet<string> = new Set();
  let withFiles: ReadonlySet<string> = new Set();
  for (let run = await runs.peek(); run; run = await runs.peek()) {
    if (runs.isNewPage()) {
      existing = await findWorkspaces(db, runs.page().map(workspaceOf));
      withFiles = await findRunsWithFiles(
        db,
        runs.page().map(({ executionId }) => executionId),
      );
    }
    const isKept = existing.has(workspaceOf(run));
    let records = 0;
    if (isKept) records += writer.begin(run);
    for (const { kind, rows } of followers) {
      for (let row = await rows.peek(); row && row.executionId <= run.executionId; row = await rows.peek()) {
        // Rows without a run, and those of a run that is left out, are passed over.
        if (isKept && row.executionId === run.executionId) {
          records += await writer.add(kind, kind === 'largeOutput' ? await withOutput(outputs, row) : row.row);
        }
        rows.next();
      }
    }
    if (isKept && withFiles.has(run.executionId)) {
      for await (const file of filesOf(db, run.executionId)) {
        records += await writer.add('file', await keepFile(run.executionId, file));
      }
    }
    runs.next();
    since = {
      runs: since.runs + 1,
      leftOut: since.leftOut + (isKept ? 0 : 1),
      checksum: since.checksum + checksumOf(run.executionId),
      records: since.records + records,
      lastRun: run.executionId,
    };
    if (!writer.isFull() && !isOver()) continue;
    await record(since);
    since = NOTHING;
    if (isOver()) return false;
  }
  await record(since);
  requireSameRuns(done, sums);
  await archive.record({ ...done, archivedAt: new Date().toISOString() });
  return true;
}

type RunSums = Pick<ArchiveManifest, 'runs' | 'leftOut' | 'checksum' | 'records' | 'lastRun'>;

const NOTHING: RunSums = { runs: 0, leftOut: 0, checksum: 0, records: 0, lastRun: null };

function empty(partition: string): ArchiveManifest {
  return { version: 1, partition, ...NOTHING, parts: [], archivedAt: null };
}

/** @throws an error unless the archive has exactly the runs of the partition. */
function requireSameRuns(
  { partition, runs, checksum }: Pick<ArchiveManifest, 'partition' | 'runs' | 'checksum'>,
  sums: { readonly runs: number; readonly checksum: number },
): void {
  if (runs === sums.runs && checksum === sums.checksum) return;
  throw new Error(
    `the archive of ${partition} has other runs than the partition (${runs} and ${sums.runs}): move it away, ` +
      'and the partition is archived again',
  );
}

/** As the database computes it (`sum_detached_run_partition`). */
function checksumOf(executionId: string): number {
  return Number.parseInt(executionId.slice(-8), 16);
}

function workspaceOf({ key: [workspaceId = ''] }: DetachedRow): string {
  return workspaceId;
}

/** The record of a large output with its text; without, if the object store no longer has it. */
async function withOutput(
  outputs: Pick<OutputStore, 'get'>,
  { executionId, key: [id = ''] }: DetachedRow,
): Promise<string> {
  try {
    const output = (await outputs.get([id])).get(id);
    return JSON.stringify({ id, execution_id: executionId, output });
  } catch (error) {
    if (!(error instanceof OutputGoneError)) throw error;
    return JSON.stringify({ id, execution_id: executionId, output: null });
  }
}

/** Yields the files that a run names, a page at a time. */
async function* filesOf(db: Database, executionId: string): AsyncGenerator<ArchivedFile> {
  let page: readonly ArchivedFile[];
  let after = FIRST_DETACHED.executionId;
  do {
    page = await findFilesOfRun(db, executionId, { after, limit: PAGE });
    yield* page;
    after = page.at(-1)?.id ?? after;
  } while (page.length === PAGE);
}

/**
 * Returns a function that copies a file, once, and returns its record: with `is_gone` if its store does not have it,
 * and `is_damaged` if it returned other bytes than were stored.
 */
function createFileKeeper({ files, archive, logger }: Pick<ArchiveContext, 'files' | 'archive' | 'logger'>) {
  const kept = new Map<string, Promise<object>>();

  async function copy(file: ArchivedFile): Promise<object> {
    try {
      const { isDamaged, isNew } = await archive.keepFile(file, files.read(file).content);
      const { id: fileId, workspaceId } = file;
      if (isDamaged && isNew) logger.error({ fileId, workspaceId }, 'archived a file whose content is damaged');
      return isDamaged ? { is_damaged: true } : {};
    } catch (error) {
      if (error instanceof FileError && error.code === 'FILE_NOT_FOUND') return { is_gone: true };
      throw error;
    }
  }

  return async (executionId: string, file: ArchivedFile): Promise<string> => {
    const copied = kept.get(file.id) ?? copy(file);
    kept.set(file.id, copied);
    const { id, bytes, sha256 } = file;
    return JSON.stringify({ execution_id: executionId, id, bytes, sha256, ...(await copied) });
  };
}

/** Reads the rows of a table page by page. */
function createCursor(db: Database, partition: string, table: DetachedTable, start: DetachedPosition) {
  let rows: readonly DetachedRow[] = [];
  let index = 0;
  let after = start;
  let isAtEnd = false;
  return {
    /** Returns the next row; undefined after the last one. */
    async peek(): Promise<DetachedRow | undefined> {
      if (index === rows.length && !isAtEnd) {
        rows = await readDetachedRows(db, partition, { table, after, limit: PAGE });
        index = 0;
        isAtEnd = rows.length < PAGE;
        const last = rows.at(-1);
        if (last) after = { executionId: last.executionId, key: last.key };
      }
      return rows[index];
    },
    next() {
      index += 1;
    },
    /** Returns whether the row that `peek` returned is the first of its page. */
    isNewPage: () => index === 0,
    page: () => rows,
  };
}

/**
 * Gathers records to parts, which end between two runs, or within a run whose own records would fill a part. A part
 * that continues a run begins with the record of that run, marked as repeated.
 */
function createPartWriter(archive: Archive, partition: string, partCharacters: number) {
  let lines: string[] = [];
  let characters = 0;
  /** Those of the last run. */
  let runCharacters = 0;
  let written: ArchivePart[] = [];
  let runs: DetachedRow[] = [];

  function push(line: string): void {
    lines.push(line);
    characters += line.length;
    runCharacters += line.length;
  }

  async function write(): Promise<void> {
    const [first] = runs;
    if (!first) return;
    const times = runs.map(({ key: [, , createdAt = ''] }) => createdAt).sort();
    const [createdFrom = '', createdTo = createdFrom] = [times[0], times.at(-1)];
    written.push(await archive.write({ partition, run: first.executionId, lines, createdFrom, createdTo }));
    lines = [];
    characters = 0;
    runs = [];
  }

  return {
    /** Adds a run. @returns the number of records. */
    begin(run: DetachedRow): number {
      runs.push(run);
      runCharacters = 0;
      push(`{"kind":"run","row":${run.row}}`);
      return 1;
    },
    /** Adds a record of the last run. @returns the number of records. */
    async add(kind: string, row: string): Promise<number> {
      const run = runs.at(-1);
      if (run && runCharacters >= partCharacters) {
        await write();
        runCharacters = 0;
        runs.push(run);
        push(`{"kind":"run","isRepeated":true,"row":${run.row}}`);
      }
      push(`{"kind":"${kind}","row":${row}}`);
      return 1;
    },
    isFull: () => characters >= partCharacters || written.length > 0,
    /** Writes the rest. @returns the parts since the last call. */
    async flush(): Promise<readonly ArchivePart[]> {
      await write();
      const parts = written;
      written = [];
      return parts;
    },
  };
}
