import { type ArchivedFile, type Database, nameFiles, Prisma } from '@deckhand/db';
import { type Archive, ArchiveSettings, openArchive, openFileStore, OutputSettings } from '@deckhand/outputs';
import { readSettings } from '@deckhand/runtime';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import Type from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { gzipSync } from 'node:zlib';
import {
  addOldRuns,
  type OldRuns,
  startStores,
  startTestWorker,
  stopAll,
  stopLater,
  type Stores,
  until,
} from '../../harness/index.ts';
import { restoreFile } from '../../../apps/ops/src/commands/archived-files.ts';
import { OUTPUTS_IN_POSTGRES } from '../../harness/node-context.ts';
import { startTestObjectStore, type TestObjectStore } from '../../harness/object-store.ts';

const RUNS = 450;

let stores: Stores;
let objects: TestObjectStore;
let env: Record<string, string>;
let old: OldRuns;

afterEach(stopAll);

async function start(runs = RUNS): Promise<Database> {
  stores = await startStores();
  objects = await startTestObjectStore();
  env = { ...objects.env, ARCHIVE_BUCKET: 'outputs' };
  old = await addOldRuns(stores.db, runs);
  await stores.db.setting.create({ data: { name: 'runRetentionDays', value: 30 } });
  return stores.db;
}

async function open(): Promise<Archive> {
  const archive = await openArchive(readSettings(Type.Object({ ...OutputSettings, ...ArchiveSettings }), env));
  if (!archive) throw new Error('there is no archive');
  stopLater({
    stop() {
      archive.close();
      return Promise.resolve();
    },
  });
  return archive;
}

function archivedFile(content: Buffer): ArchivedFile {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { id: uuidv7(), workspaceId: uuidv7(), bytes: content.length, isApart: false, sha256 };
}

/** Yields bytes in one piece. */
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}

const tablesLeft = async () =>
  (await stores.db.$queryRaw<unknown[]>`SELECT FROM pg_class WHERE relname LIKE '%\_p0' AND relkind = 'r'`).length;
const isDropped = async () => (await tablesLeft()) === 0;

/** Returns the rows of a table as JSON texts, in the order of its keys. */
async function rowsOf(table: string, order: string): Promise<string[]> {
  const rows = await stores.db.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL timezone = 'UTC'`;
    return tx.$queryRaw<{ row: string }[]>(
      Prisma.sql`SELECT row_to_json(t)::text AS row FROM ${Prisma.raw(table)} t ORDER BY ${Prisma.raw(order)}`,
    );
  });
  return rows.map(({ row }) => row);
}

describe('a worker with an archive', () => {
  it('copies every row of a partition before it drops it, and nothing of deleted workspaces', async () => {
    const db = await start();
    const [first = '', second = '', third = ''] = old.ids;
    const text = JSON.stringify('x'.repeat(100_000));
    const outputs = [uuidv7(), uuidv7()];
    await db.largeOutput.createMany({
      data: [
        { id: outputs[0]!, executionId: second, data: gzipSync(text) },
        // Its object is gone.
        { id: outputs[1]!, executionId: third },
      ],
    });
    await db.nodeIteration.createMany({
      data: Array.from({ length: 450 }, (_, n) => ({
        executionId: first,
        nodeId: 'a',
        iteration: String(n),
        status: 'success' as const,
        // More than fits into one part.
        output: JSON.stringify({ n, lines: 'one\ntwo "three"', more: 'x'.repeat(40_000) }),
      })),
    });
    const createdAt = new Date();
    await db.wait.create({ data: { executionId: third, nodeId: 'a', kind: 'approval', details: '{}', createdAt } });
    const runs = await rowsOf('executions', 'id');
    const nodeRuns = await rowsOf('node_runs', 'execution_id, node_id');
    const iterations = await rowsOf('node_iterations', 'execution_id, node_id, iteration');
    const waits = await rowsOf('waits', 'execution_id, node_id, iteration');
    // A run of a workspace that is deleted meanwhile.
    const gone = uuidv7({ msecs: Date.now() - 49 * 86_400_000 });
    await db.$executeRaw`
      INSERT INTO executions SELECT (json_populate_record(e, json_build_object('id', ${gone}::uuid, 'workspace_id', ${uuidv7()}::uuid))).*
      FROM executions e WHERE id = ${first}::uuid`;
    await db.nodeRun.create({ data: { executionId: gone, nodeId: 'a', status: 'success' } });

    const worker = await startTestWorker(stores, { outputSettings: env });
    await until(isDropped, 'the drop of the partition');
    await worker.stop();

    const archive = await open();
    expect(await archive.partitions()).toEqual(['p0']);
    const manifest = await archive.manifest('p0');
    if (!manifest) throw new Error('there is no manifest');
    expect(manifest).toMatchObject({ runs: RUNS + 1, leftOut: 1, lastRun: expect.any(String) });
    expect(manifest.parts.length).toBeGreaterThan(2);
    const all = (await Promise.all(manifest.parts.map((part) => archive.read('p0', part)))).flat();
    const lines = all.filter((line) => !line.startsWith('{"kind":"run","isRepeated":true,'));
    expect(all.length).toBeGreaterThan(lines.length);
    expect(lines).toHaveLength(manifest.records);
    const recordsOf = (kind: string) =>
      lines.flatMap((line) => (line.startsWith(`{"kind":"${kind}"`) ? [line.slice(kind.length + 17, -1)] : []));
    expect(recordsOf('run')).toEqual(runs);
    expect(recordsOf('nodeRun')).toEqual(nodeRuns);
    expect(recordsOf('nodeIteration')).toEqual(iterations);
    expect(recordsOf('wait')).toEqual(waits);
    expect(recordsOf('largeOutput').map((row) => JSON.parse(row) as unknown)).toEqual([
      { id: outputs[0], execution_id: second, output: text },
      { id: outputs[1], execution_id: third, output: null },
    ]);
    // Each record follows its run.
    let run = '';
    for (const line of lines) {
      const { kind, row } = JSON.parse(line) as { kind: string; row: { id: string; execution_id: string } };
      if (kind === 'run') run = row.id;
      else expect(row.execution_id).toBe(run);
    }
  });

  it('keeps the content of the files that its runs name, each once, and loses none that is damaged', async () => {
    const db = await start(3);
    const { workspaceId } = old.seed;
    const files = await openFileStore(OUTPUTS_IN_POSTGRES, db);
    const contents = [randomBytes(9_000_000), randomBytes(10), Buffer.alloc(0)];
    const ids: string[] = [];
    for (const content of contents) {
      const { file } = await files.save([content], { workspaceId, name: 'a', keptMinutes: 1 });
      ids.push(file.id);
    }
    const [first = '', second = '', third = ''] = old.ids;
    for (const run of [first, third]) await nameFiles(db, run, ids);
    // A file whose content is damaged before it is archived.
    const bad = await files.save([Buffer.from('bad')], { workspaceId, name: 'a', keptMinutes: 1 });
    await db.file.update({ where: { id: bad.file.id }, data: { sha256: randomBytes(32) } });
    for (const run of [second, third]) await nameFiles(db, run, [bad.file.id]);
    // A file whose content is lost.
    const lost = uuidv7();
    await db.file.create({ data: { id: lost, workspaceId, sha256: randomBytes(32), bytes: 5, isApart: false } });
    await nameFiles(db, second, [lost]);

    objects.setDamaging(true);
    const logged: string[] = [];
    const worker = await startTestWorker(stores, { outputSettings: env, onLog: (line) => logged.push(line) });
    const copied = () => [...objects.objects.keys()].some((key) => key.includes('archived-files'));
    await until(copied, 'a file in the archive');
    objects.setDamaging(false);
    await until(isDropped, 'the drop of the partition');
    await worker.stop();

    const archive = await open();
    const manifest = await archive.manifest('p0');
    const lines = (await Promise.all((manifest?.parts ?? []).map((part) => archive.read('p0', part)))).flat();
    const records = lines.map(
      (line) => JSON.parse(line) as { kind: string; row: { id: string; execution_id: string } },
    );
    const ofFiles = records.filter(({ kind }) => kind === 'file').map(({ row }) => row);
    const damaged = ofFiles.filter(({ id }) => id === bad.file.id);
    expect(damaged.map(({ execution_id: run }) => run)).toEqual([second, third]);
    for (const row of damaged) expect(row).toMatchObject({ bytes: 3, is_damaged: true });
    expect(logged.filter((line) => line.includes('whose content is damaged'))).toHaveLength(1);
    const named = ofFiles.filter(({ id }) => id !== bad.file.id);
    expect(lines).toHaveLength(manifest?.records ?? 0);
    const sorted = ids.toSorted();
    expect(named.map(({ execution_id: run, id }) => [run, id])).toEqual([
      ...sorted.map((id) => [first, id]),
      [second, lost],
      ...sorted.map((id) => [third, id]),
    ]);
    expect(named[ids.length]).toMatchObject({ bytes: 5, is_gone: true });
    for (const [index, content] of contents.entries()) {
      const kept = await archive.file(workspaceId, ids[index] ?? '');
      expect(kept && (await buffer(kept)).equals(content)).toBe(true);
    }
    expect(await archive.file(workspaceId, lost)).toBeUndefined();
    expect(objects.uploads().size).toBe(0);
    await db.file.updateMany({ data: { expiresAt: new Date(0) } });
    while ((await files.sweep(10)) > 0);
    expect(await db.file.count()).toBe(0);
  });

  it('reads a file back once, however many passes find it in the archive', async () => {
    objects = await startTestObjectStore();
    env = { ...objects.env, ARCHIVE_BUCKET: 'outputs' };
    const archive = await open();
    const content = Buffer.from('invoice');
    const file = archivedFile(content);
    expect(await archive.keepFile(file, once(content))).toEqual({ isDamaged: false, isNew: true });
    const key = [...objects.objects.keys()].find((one) => one.endsWith(file.id)) ?? '';
    objects.setRefusing((method, of) => method === 'GET' && of === key);
    expect(await archive.keepFile(file, once(content))).toEqual({ isDamaged: false, isNew: false });
    objects.setRefusing(() => false);
    // What is damaged later is found when it is read.
    const read = async () => buffer((await archive.file(file.workspaceId, file.id)) ?? once(Buffer.alloc(0)));
    expect(await read()).toEqual(content);
    objects.objects.set(key, Buffer.from('invoicE'));
    await expect(read()).rejects.toThrow('is damaged');
    // It is copied again if what the archive has is another file.
    objects.objects.set(key, Buffer.from('in'));
    await archive.keepFile(file, once(content));
    expect(objects.objects.get(key)).toEqual(content);
  });

  it('restores a file unless it is missing or damaged, and stops at errors of the store and of the folder', async () => {
    await start(1);
    const archive = await open();
    const content = Buffer.from('invoice');
    const file = archivedFile(content);
    await archive.keepFile(file, once(content));
    const folder = await mkdtemp(join(tmpdir(), 'deckhand-restored-'));
    stopLater({ stop: () => rm(folder, { recursive: true }) });
    const restore = (to: string, record: ArchivedFile & { isGone?: boolean } = file) =>
      restoreFile(archive, join(folder, to), record);
    // The archive has it of a run whose store still had it.
    expect(await restore('gone', { ...file, isGone: true })).toBe(true);
    expect(await readFile(join(folder, 'gone', file.workspaceId, file.id))).toEqual(content);
    expect(await restore('gone', { ...archivedFile(content), isGone: true })).toBe(false);
    const key = [...objects.objects.keys()].find((one) => one.endsWith(file.id)) ?? '';
    objects.setRefusing((method, of) => method === 'GET' && of === key);
    await expect(restore('refused')).rejects.toMatchObject({ name: 'ObjectStoreError' });
    objects.setRefusing(() => false);
    objects.setAway(true);
    await expect(restore('away')).rejects.toMatchObject({ name: 'ObjectStoreError' });
    objects.setAway(false);
    await writeFile(join(folder, 'full'), '');
    await expect(restore('full')).rejects.toMatchObject({ code: 'ENOTDIR' });
    objects.objects.set(key, Buffer.from('invoicE'));
    expect(await restore('damaged')).toBe(false);
    for (const left of ['refused', 'damaged']) expect(await readdir(join(folder, left, file.workspaceId))).toEqual([]);
  });

  it('drops nothing while the object store is unavailable or loses data, and continues when it is back', async () => {
    await start();
    objects.setAway(true);
    const worker = await startTestWorker(stores, { outputSettings: env });
    await until(async () => (await stores.db.execution.count()) === 0, 'the detaching');
    objects.setAway(false);
    objects.setDamaging(true);
    await until(() => objects.written.length >= 2, 'damaged parts');
    expect(await (await open()).manifest('p0')).toBeUndefined();
    expect(await tablesLeft()).toBeGreaterThan(0);
    objects.setDamaging(false);
    await until(isDropped, 'the drop of the partition');
    expect(await (await open()).manifest('p0')).toMatchObject({ runs: RUNS, leftOut: 0 });
    await worker.stop();
  });

  it('never replaces an archive with other runs, and keeps the partition', async () => {
    await start(3);
    const archive = await open();
    const other = { version: 1, partition: 'p0', runs: 3, leftOut: 0, checksum: 1, records: 0, lastRun: null } as const;
    await archive.record({ ...other, parts: [], archivedAt: '2026-01-01T00:00:00.000Z' });
    const lines: string[] = [];
    const worker = await startTestWorker(stores, { outputSettings: env, onLog: (line) => lines.push(line) });
    await until(() => lines.some((line) => line.includes('has other runs than the partition')), 'the refusal');
    expect(await archive.manifest('p0')).toMatchObject({ checksum: 1 });
    expect(await tablesLeft()).toBeGreaterThan(0);
    await worker.stop();
  });

  it('prunes no expired run alone, because it would be missing in the archive', async () => {
    const db = await start(3);
    const [first = '', second = ''] = old.ids;
    await db.execution.update({ where: { id: second }, data: { status: 'paused', finishedAt: null } });
    await db.execution.update({ where: { id: first }, data: { finishedAt: new Date(Date.now() - 400 * 86_400_000) } });
    const worker = await startTestWorker(stores, { outputSettings: env });
    const { registry } = worker;
    await until(
      async () => /deckhand_retention_overdue_seconds\{kind="data"\} [1-9]/.test(await registry.metrics()),
      'a pass of retention',
    );
    expect(await db.execution.findUniqueOrThrow({ where: { id: first } })).toMatchObject({
      triggerData: expect.any(String),
    });
    await worker.stop();
  });
});
