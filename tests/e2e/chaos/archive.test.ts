import { createDatabase, nameFiles } from '@deckhand/db';
import { openFileStore } from '@deckhand/outputs';
import { afterAll, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addOldRuns,
  createTestDatabase,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';
import { OUTPUTS_IN_POSTGRES } from '../../harness/node-context.ts';
import { startTestObjectStore } from '../../harness/object-store.ts';
import { runOps } from '../../harness/ops.ts';

/** Some 30 MB: parts have 8 MiB. */
const RUNS = 3_000;
const TRIGGER_BYTES = 10_000;

interface Record {
  readonly kind: string;
  readonly row: { readonly id: string; readonly execution_id: string; readonly created_at: string };
}

afterAll(stopAll);

it('a worker that is killed in the middle of an archive leaves nothing twice or missing, and ops reads all of it', async () => {
  const database = await createTestDatabase();
  const redis = await startTestRedis();
  const store = await startTestObjectStore();
  const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  const archive = { ...store.env, ...credentials, ARCHIVE_BUCKET: 'outputs' };
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, ...archive };
  const db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  const { ids, seed } = await addOldRuns(db, RUNS, TRIGGER_BYTES);
  const { workspaceId } = seed;
  const files = await openFileStore(OUTPUTS_IN_POSTGRES, db);
  const { file } = await files.save([Buffer.from('invoice')], { workspaceId, name: 'a', keptMinutes: 1 });
  await nameFiles(db, ids[2_500] ?? '', [file.id]);
  await db.setting.create({ data: { name: 'runRetentionDays', value: 30 } });
  const parts = () => store.written.filter((key) => key.endsWith('.ndjson.gz'));

  const first = await spawnApp('worker', env);
  await until(() => parts().length >= 2, 'two parts');
  store.setSilent(true);
  await until(() => store.unanswered() > 0, 'a part in progress');
  await first.kill('SIGKILL');
  store.setSilent(false);
  const before = new Set(parts());
  expect([...store.objects.keys()].filter((key) => key.endsWith('manifest.json'))).toEqual([]);
  const listed = await runOps(['archive', 'list'], archive);
  expect(listed.stdout).toContain('incomplete');
  expect((await runOps(['archive', 'read'], archive)).stdout).toBe('');

  await spawnApp('worker', env);
  const isDropped = async () =>
    (await db.$queryRaw<unknown[]>`SELECT FROM pg_class WHERE relname = 'executions_p0'`).length === 0;
  await until(isDropped, 'the drop of the partition');
  // It continued: what was recorded is not written again.
  const counts = new Map<string, number>();
  for (const key of parts()) counts.set(key, (counts.get(key) ?? 0) + 1);
  expect([...before].filter((key) => counts.get(key) === 1)).not.toEqual([]);
  expect([...before].filter((key) => !store.objects.has(key))).toEqual([]);

  const list = await runOps(['archive', 'list', '--json'], archive);
  expect(JSON.parse(list.stdout)).toMatchObject([{ partition: 'p0', runs: RUNS }]);
  const read = async (...options: string[]) => {
    const { exitCode, stdout } = await runOps(['archive', 'read', ...options], archive);
    expect(exitCode).toBe(0);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record);
  };
  const records = await read();
  const runs = records.filter(({ kind }) => kind === 'run').map(({ row }) => row);
  expect(runs.map(({ id }) => id)).toEqual(ids);
  expect(records.filter(({ kind }) => kind === 'nodeRun')).toHaveLength(2 * RUNS);

  expect(records.filter(({ kind }) => kind === 'file').map(({ row }) => row)).toMatchObject([
    { id: file.id, execution_id: ids[2_500], sha256: file.sha256 },
  ]);
  expect((await runOps(['archive', 'file', file.id, '--workspace', workspaceId], archive)).stdout).toBe('invoice');
  expect((await runOps(['archive', 'file', ids[0] ?? '', '--workspace', workspaceId], archive)).exitCode).toBe(1);

  const folder = await mkdtemp(join(tmpdir(), 'deckhand-restored-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  const restored = join(folder, workspaceId, file.id);
  expect((await runOps(['archive', 'restore-files', folder, '--workspace', workspaceId], archive)).exitCode).toBe(0);
  expect(await readFile(restored, 'utf8')).toBe('invoice');
  await runOps(['archive', 'restore-files', join(folder, 'other'), '--run', ids[7] ?? ''], archive);
  expect(await readdir(folder)).toEqual([workspaceId]);

  const [from, to] = [runs[2_000]?.created_at ?? '', runs[2_009]?.created_at ?? ''];
  const some = await read('--workspace', seed.workspaceId, '--created-from', from, '--created-to', to);
  expect(some.filter(({ kind }) => kind === 'run').map(({ row }) => row.id)).toEqual(ids.slice(2_000, 2_010));
  expect(some).toHaveLength(30);
  const one = await read('--run', ids[7] ?? '', '--workflow', seed.workflowId);
  expect(one.map(({ kind, row }) => (kind === 'run' ? row.id : row.execution_id))).toEqual([ids[7], ids[7], ids[7]]);
  expect(await read('--workspace', ids[0] ?? '')).toEqual([]);

  // A damaged file is printed, and an error.
  const stored = [...store.objects.keys()].find((key) => key.endsWith(file.id)) ?? '';
  store.objects.set(stored, Buffer.from('invoicE'));
  const spoilt = await runOps(['archive', 'file', file.id, '--workspace', workspaceId], archive);
  expect(spoilt).toMatchObject({ exitCode: 1, stdout: 'invoicE', stderr: expect.stringContaining('is damaged') });

  // What was restored before stays; a damaged file leaves nothing in another folder.
  expect((await runOps(['archive', 'restore-files', folder], archive)).exitCode).toBe(0);
  const none = await runOps(['archive', 'restore-files', join(folder, 'again')], archive);
  expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('missing or damaged: 1') });
  expect(await readdir(join(folder, 'again', workspaceId))).toEqual([]);

  // A damaged part is an error, not a gap.
  const [damaged = ''] = [...store.objects.keys()].filter((key) => key.endsWith('.ndjson.gz'));
  store.objects.set(damaged, Buffer.from('other'));
  const failed = await runOps(['archive', 'read'], archive);
  expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('is damaged')]);
  expect((await runOps(['archive', 'list'], credentials)).exitCode).toBe(2);
});
