import { parseOwnJson } from '@deckhand/contracts';
import { type Archive, type ArchiveManifest, openArchive } from '@deckhand/outputs';
import { readSettings } from '@deckhand/runtime';
import { ExitError, misused, printMessage, printResult, table } from '@deckhand/terminal';
import { Command } from 'commander';
import { once } from 'node:events';
import { ArchiveCommandSettings } from '../settings.ts';
import { restoreFile } from './archived-files.ts';
import { id, ids, moment } from './parse.ts';

interface ReadOptions {
  readonly run?: readonly string[];
  readonly workspace?: string;
  readonly workflow?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

/** A record of an archive, as far as it is looked at. */
interface RunRecord {
  readonly kind: string;
  /** Whether a part before has this record already. */
  readonly isRepeated?: boolean;
  readonly row: {
    readonly id: string;
    readonly workspace_id: string;
    readonly workflow_id: string;
    readonly created_at: string;
  };
}

/** A line of an archive, and the workspace of its run. */
interface ReadRecord {
  readonly line: string;
  readonly workspaceId: string;
}

/** A record of the kind `file`, as far as it is looked at. */
interface FileRecord {
  readonly row: { readonly id: string; readonly sha256: string; readonly is_gone?: boolean };
}

/** `archive`: what retention moved to the object store. */
export function archiveCommand(): Command {
  return new Command('archive')
    .summary('list and read archives of runs that retention deleted')
    .description(
      'Partitions of expired runs are archived before they are dropped, where the workers have ARCHIVE_BUCKET. Needs the same ' +
        'settings as these (ARCHIVE_BUCKET, S3_ENDPOINT, S3_REGION, S3_PREFIX), and credentials as the AWS SDK reads them; no other store.',
    )
    .addCommand(
      new Command('list')
        .summary('archives, with the number and the times of their runs')
        .option('--json', 'print one JSON document')
        .action(listArchives),
    )
    .addCommand(
      withFilters(new Command('read'))
        .summary('print archived runs as NDJSON')
        .description(
          'Prints a line for each record: a run, followed by its node runs, iterations, waits, large outputs and files, as {"kind", "row"} with the ' +
            'columns of the database. Without options, all runs of all complete archives.',
        )
        .action(readRuns),
    )
    .addCommand(
      withFilters(new Command('restore-files'))
        .summary('write the files of archived runs into a folder')
        .description(
          'Writes the content of each file that the runs name as <folder>/<workspace>/<file>, once, and checks its digest. ' +
            'What is there already is left as it is, so a call that was interrupted is repeated. Fails at the end if files are missing or damaged.',
        )
        .argument('<folder>', 'the folder, which is created')
        .action(restoreFiles),
    )
    .addCommand(
      new Command('file')
        .summary('write the content of an archived file to the standard output')
        .description(
          'Records of the kind "file" have the ids of the files that an archived run names. Fails after the last byte ' +
            'if the content is not what the record says: then it is damaged.',
        )
        .argument('<id>', 'the file', id)
        .requiredOption('--workspace <id>', 'its workspace', id)
        .action(readFile),
    );
}

function withFilters(command: Command): Command {
  return command
    .option('--run <id>', 'only this run; may be given several times', ids)
    .option('--workspace <id>', 'only runs of a workspace', id)
    .option('--workflow <id>', 'only runs of a workflow', id)
    .option('--created-from <time>', 'only runs created at or after an ISO 8601 time', moment)
    .option('--created-to <time>', 'only runs created at or before an ISO 8601 time', moment);
}

async function listArchives({ json }: { json?: boolean }): Promise<void> {
  await withArchive(async (archive) => {
    const found: ArchiveManifest[] = [];
    for (const partition of await archive.partitions()) {
      const manifest = (await archive.manifest(partition)) ?? (await archive.progress(partition));
      if (manifest) found.push(manifest);
    }
    const entries = found.map(({ partition, runs, leftOut, parts, archivedAt }) => ({
      partition,
      runs: runs - leftOut,
      createdFrom: parts.map(({ createdFrom }) => createdFrom).sort()[0] ?? null,
      createdTo:
        parts
          .map(({ createdTo }) => createdTo)
          .sort()
          .at(-1) ?? null,
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      archivedAt,
    }));
    printResult(json, entries, () =>
      table(
        ['partition', 'runs', 'created from', 'to', 'bytes', 'archived'],
        entries.map((one) => [
          one.partition,
          one.runs,
          one.createdFrom ?? '–',
          one.createdTo ?? '–',
          one.bytes,
          one.archivedAt ?? 'incomplete',
        ]),
        'No archives.',
      ),
    );
  });
}

async function readRuns(options: ReadOptions): Promise<void> {
  await withArchive(async (archive) => {
    // One line at a time, no faster than it is read.
    for await (const { line } of readArchives(archive, options))
      if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  });
}

async function restoreFiles(folder: string, options: ReadOptions): Promise<void> {
  await withArchive(async (archive) => {
    const counts = { restored: 0, lost: 0 };
    let last = '';
    for await (const { line, workspaceId } of readArchives(archive, options)) {
      if (!line.startsWith('{"kind":"file"')) continue;
      const { row } = parseOwnJson<FileRecord>(line);
      // Runs after each other often name the same file.
      if (row.id === last) continue;
      last = row.id;
      const { id: fileId, sha256, is_gone: isGone } = row;
      const isRestored = await restoreFile(archive, folder, { id: fileId, sha256, workspaceId, isGone });
      counts[isRestored ? 'restored' : 'lost'] += 1;
    }
    printMessage(`files in ${folder}: ${counts.restored}`);
    if (counts.lost > 0) throw new Error(`files that are missing or damaged: ${counts.lost}`);
  });
}

/** Yields the records of all complete archives that fit, each with the workspace of its run. */
async function* readArchives(archive: Archive, options: ReadOptions): AsyncGenerator<ReadRecord> {
  for (const partition of await archive.partitions()) {
    const manifest = await archive.manifest(partition);
    if (manifest) yield* readArchive(archive, manifest, options);
    else printMessage(`${partition} is left out: its archive is not complete yet`);
  }
}

async function readFile(fileId: string, { workspace }: { workspace: string }): Promise<void> {
  await withArchive(async (archive) => {
    const content = await archive.file(workspace, fileId);
    if (!content) throw new Error(`it has no file ${fileId} of this workspace`);
    for await (const piece of content) if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
  });
}

async function* readArchive(
  archive: Archive,
  manifest: ArchiveManifest,
  options: ReadOptions,
): AsyncGenerator<ReadRecord> {
  const from = options.createdFrom?.toISOString() ?? '';
  const to = options.createdTo?.toISOString();
  let isWanted = false;
  let workspaceId = '';
  for (const part of manifest.parts) {
    if (part.createdTo < from || (to !== undefined && part.createdFrom > to)) continue;
    for (const line of await archive.read(manifest.partition, part)) {
      if (line.startsWith('{"kind":"run"')) {
        const record = parseOwnJson<RunRecord>(line);
        isWanted = fits(record, options);
        workspaceId = record.row.workspace_id;
        if (record.isRepeated === true) continue;
      }
      if (isWanted) yield { line, workspaceId };
    }
  }
}

function fits({ row }: RunRecord, { run, workspace, workflow, createdFrom, createdTo }: ReadOptions): boolean {
  const createdAt = Date.parse(row.created_at);
  return (
    (run === undefined || run.includes(row.id)) &&
    (workspace === undefined || row.workspace_id === workspace) &&
    (workflow === undefined || row.workflow_id === workflow) &&
    (createdFrom === undefined || createdAt >= createdFrom.getTime()) &&
    (createdTo === undefined || createdAt <= createdTo.getTime())
  );
}

/** @throws ExitError without an archive, or when it cannot be read. */
async function withArchive(use: (archive: Archive) => Promise<void>): Promise<void> {
  const archive = await openArchive(readSettings(ArchiveCommandSettings));
  if (!archive) throw misused('ARCHIVE_BUCKET is not set: give it as the workers have it.');
  try {
    await use(archive);
  } catch (error) {
    throw new ExitError(`The archive cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    archive.close();
  }
}
