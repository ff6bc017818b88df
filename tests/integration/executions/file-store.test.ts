import type { FileValue } from '@deckhand/contracts';
import {
  beginFile,
  createDatabase,
  type Database,
  findLinkedFile,
  finishFile,
  nameFiles,
  Prisma,
  pruneData,
} from '@deckhand/db';
import {
  createFileStore,
  type FileStore,
  type FileStoreOptions,
  openFileStore,
  type FileToSave,
} from '@deckhand/outputs';
import { createMemoryBudget } from '@deckhand/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater, until } from '../../harness/index.ts';
import { OUTPUTS_IN_POSTGRES } from '../../harness/node-context.ts';
import { startTestObjectStore, type TestObjectStore } from '../../harness/object-store.ts';

const MIB = 1_048_576;
const OPTIONS: FileStoreOptions = { maxFileBytes: 64 * MIB, maxRunBytes: 64 * MIB, isApart: false };

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 6 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

describe.each(['postgres', 's3'])('the store of files in %s', (kind) => {
  let store: FileStore;
  let objects: TestObjectStore | undefined;

  beforeAll(async () => {
    objects = kind === 's3' ? await startTestObjectStore() : undefined;
    const location =
      objects && ({ ...OUTPUTS_IN_POSTGRES, ...objects.env, OUTPUT_STORE: 's3', S3_REGION: 'x' } as const);
    store = await openFileStore(location ?? OUTPUTS_IN_POSTGRES, db);
  });

  beforeEach(async () => {
    seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
  });

  const save = (content: Uint8Array | AsyncIterable<Uint8Array>, file: Partial<FileToSave> = {}) =>
    store.save(content instanceof Uint8Array ? [content] : content, {
      workspaceId: seed.workspaceId,
      name: 'a.bin',
      keptMinutes: 50,
      ...file,
    });
  async function read({ file }: FileValue, range?: { from: number; until?: number }): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.open(seed.workspaceId, file.id, range)).content) pieces.push(piece);
    return Buffer.concat(pieces);
  }
  const age = () =>
    db.$transaction([
      db.file.updateMany({ where: { expiresAt: { not: null } }, data: { expiresAt: new Date(0) } }),
      db.unfinishedFile.updateMany({ data: { expiresAt: new Date(0) } }),
    ]);
  /** Everything that is stored for files, in either store. */
  const stored = async () => ({
    files: await db.file.count({ where: { workspaceId: seed.workspaceId } }),
    unfinished: await db.unfinishedFile.count({ where: { workspaceId: seed.workspaceId } }),
    parts: await db.filePart.count(),
    objects: objects?.objects.size ?? 0,
    uploads: objects?.uploads().size ?? 0,
  });
  const NOTHING = { files: 0, unfinished: 0, parts: 0, objects: 0, uploads: 0 };
  async function empty(): Promise<void> {
    await db.executionFile.deleteMany();
    await age();
    while ((await store.sweep(100)) > 0);
  }
  const countedBytes = async () => {
    const changes = await db.storageChange.findMany({ where: { workspaceId: seed.workspaceId } });
    return changes.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  };

  it.each([0, 1, MIB, MIB + 1, 8 * MIB, 17 * MIB + 3])(
    'returns a file of %i bytes, whole and in ranges',
    async (bytes) => {
      const content = randomBytes(bytes);
      const value = await save(content, { name: '../b.pdf', contentType: 'application/pdf' });
      const sha256 = createHash('sha256').update(content).digest('hex');
      expect(value.file).toMatchObject({ name: 'b.pdf', contentType: 'application/pdf', bytes, sha256 });
      expect((await read(value)).equals(content)).toBe(true);
      for (const [from, until] of [
        [0, 1],
        [MIB - 1, MIB + 1],
        [Math.max(bytes - 5, 0), bytes + 10],
        [bytes + 1, bytes + 2],
      ] as const)
        expect((await read(value, { from, until })).equals(content.subarray(from, until))).toBe(true);
    },
  );

  it('stores pieces of any length, and asks for none while the store is busy', async () => {
    let given = 0;
    async function* pieces() {
      for (; given < 1_000; given += 1) yield await setImmediate(Buffer.alloc(10_007, given));
    }
    const asked: number[] = [];
    const watched = store.attemptedBy(async (_what, act) => {
      const before = given;
      const result = await act();
      asked.push(given - before);
      return result;
    });
    const value = await watched.save(pieces(), { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 });
    expect([given, value.file.bytes, (await read(value)).length]).toEqual([1_000, 10_007_000, 10_007_000]);
    expect(new Set(asked)).toEqual(new Set([0]));
  });

  it('keeps equal content once per workspace, also of writers at the same time, and counts it once', async () => {
    await empty();
    const content = randomBytes(9 * MIB);
    const values = await Promise.all([1, 2, 3].map((n) => save(content, { name: `${n}.bin` })));
    expect(new Set(values.map(({ file }) => file.id)).size).toBe(1);
    expect(values.map(({ file }) => file.name)).toEqual(['1.bin', '2.bin', '3.bin']);
    expect(await save(content, { name: '4' })).toMatchObject({ file: { id: values[0]?.file.id } });
    expect(await stored()).toMatchObject({ files: 1, unfinished: 0, parts: objects ? 0 : 9, uploads: 0 });
    expect(await countedBytes()).toBe(9 * MIB);
  });

  it('sweeps a discarded file at once, unless a run names it or somebody else has stored the same', async () => {
    await empty();
    const about = { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 50 };
    async function* one(byte: number) {
      yield await Promise.resolve(Buffer.alloc(100, byte));
    }
    const [alone, named, shared, known] = await Promise.all([1, 2, 3, 4].map((byte) => store.stage(one(byte), about)));
    await nameFiles(db, await seed.accept(), [named?.value.file.id ?? '']);
    await store.stage(one(3), about);
    const again = await store.stage(one(4), about);
    for (const file of [alone, named, shared, again, known]) await file?.discard();
    while ((await store.sweep(100)) > 0);
    const left = await db.file.findMany({ where: { workspaceId: seed.workspaceId }, select: { id: true } });
    expect(left.map(({ id }) => id).sort()).toEqual([named, shared].map((file) => file?.value.file.id ?? '').sort());
  });

  it('sweeps a file whose last run was deleted while a form that stored it was refused', async () => {
    await empty();
    const [content, executionId] = [randomBytes(10), await seed.accept()];
    await nameFiles(db, executionId, [(await save(content)).file.id]);
    const about = { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 50 };
    const staged = await store.stage(Readable.from([content]), about);
    await db.execution.delete({ where: { id: executionId } });
    await staged.discard();
    await age();
    expect(await store.sweep(10)).toBe(1);
    expect(await stored()).toEqual(NOTHING);
  });

  it('sweeps a file whose last run is deleted while the sweep finds that a run names it', async () => {
    await empty();
    const [{ file }, executionId] = [await save(randomBytes(10)), await seed.accept()];
    await nameFiles(db, executionId, [file.id]);
    await db.file.update({ where: { id: file.id }, data: { expiresAt: new Date(0) } });
    await db.$transaction(async (tx) => {
      await tx.execution.delete({ where: { id: executionId } });
      await store.sweep(10);
    });
    await age();
    expect(await store.sweep(10)).toBe(1);
    expect(await stored()).toEqual(NOTHING);
  });

  it('keeps files that are about to expire for longer, and reports one that was swept', async () => {
    await empty();
    const [soon, late] = [await save(randomBytes(10)), await save(randomBytes(10))];
    const swept = await save(randomBytes(10), { keptMinutes: 0 });
    await db.file.update({ where: { id: soon.file.id }, data: { expiresAt: new Date(Date.now() + 60_000) } });
    const expiries = async () => {
      const files = await Promise.all([soon, late].map(({ file: { id } }) => db.file.findUnique({ where: { id } })));
      return files.map((file) => file?.expiresAt?.getTime() ?? 0);
    };
    const [, before] = await expiries();
    expect(await store.keep(seed.workspaceId, [soon, late, soon], 50)).toBe(true);
    const after = await expiries();
    expect(after[0]).toBeGreaterThan(Date.now() + 49 * 60_000);
    expect(after[1]).toBe(before);
    await store.sweep(10);
    expect(await store.keep(seed.workspaceId, [soon, swept], 50)).toBe(false);
  });

  it('is not reached by links once its workspace was deleted, though its runs are deleted later', async () => {
    const [{ file }, executionId] = [await save(randomBytes(10)), await seed.accept()];
    await nameFiles(db, executionId, [file.id]);
    const link = { executionId, fileId: file.id, expiresAt: new Date(Date.now() + 60_000) };
    expect(await findLinkedFile(db, link)).toMatchObject({ id: file.id });
    await db.workspace.delete({ where: { id: seed.workspaceId } });
    expect(await db.executionFile.count({ where: { executionId } })).toBe(1);
    expect(await findLinkedFile(db, link)).toBeUndefined();
  });

  it('reaches nothing of another workspace', async () => {
    const value = await save(randomBytes(10));
    const other = (await seedWorkflow(db, chain())).workspaceId;
    await expect(store.open(other, value.file.id)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    const stranger = await (await seedWorkflow(db, chain())).accept({ stolen: value });
    expect(await db.executionFile.count({ where: { executionId: stranger } })).toBe(0);
    await expect(store.open(seed.workspaceId, uuidv7())).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('leaves nothing of a file whose content breaks off, that is too large, or that the quota has no room for', async () => {
    await empty();
    async function* breaking() {
      yield await Promise.resolve(randomBytes(18 * MIB));
      throw new Error('broke off');
    }
    await expect(save(breaking())).rejects.toThrow('broke off');
    const small = createFileStore(db, undefined, { ...OPTIONS, maxFileBytes: 2 * MIB });
    const large = { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 };
    await expect(small.save([randomBytes(3 * MIB)], large)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { storageQuotaBytes: 9 * MIB } });
    await expect(save(randomBytes(9 * MIB + 1))).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    const aborted = { signal: AbortSignal.abort(new Error('stopped')) };
    await expect(save(randomBytes(9), aborted)).rejects.toThrow('stopped');
    expect(await stored()).toEqual(NOTHING);
    expect(await countedBytes()).toBe(0);
  });

  it('counts what is being written towards the quota, until it is finished or breaks off', async () => {
    await empty();
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { storageQuotaBytes: 40 * MIB } });
    const going = Promise.withResolvers<boolean>();
    const written = Promise.withResolvers<undefined>();
    async function* halting() {
      for (let n = 0; n < 34; n += 1) yield await Promise.resolve(randomBytes(MIB));
      written.resolve(undefined);
      if (!(await going.promise)) throw new Error('broke off');
    }
    const first = save(halting());
    await written.promise;
    await expect(save(randomBytes(20 * MIB))).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    await save(randomBytes(4 * MIB));
    going.resolve(false);
    await expect(first).rejects.toThrow('broke off');
    await save(randomBytes(20 * MIB));
  });

  it('does not let files that finish at the same moment exceed the quota together', async () => {
    await empty();
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { storageQuotaBytes: 5 * MIB } });
    const contents = Array.from({ length: 8 }, () => randomBytes(MIB));
    const saved = await Promise.allSettled(contents.map((content) => save(content)));
    for (const one of saved) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'STORAGE_FULL' });
    const files = await db.file.aggregate({ where: { workspaceId: seed.workspaceId }, _sum: { bytes: true } });
    expect(Number(files._sum.bytes ?? 0)).toBeLessThanOrEqual(5 * MIB);
    expect(await countedBytes()).toBe(Number(files._sum.bytes ?? 0));
    // Those that were refused left their room: five fit, one after the other.
    const kept = saved.filter(({ status }) => status === 'fulfilled').length;
    for (let count = kept; count < 5; count += 1) await save(randomBytes(MIB));
    await expect(save(randomBytes(MIB))).rejects.toMatchObject({ code: 'STORAGE_FULL' });
  });

  it('finishes a file by what others have stored until then, and one of equal content whatever they have', async () => {
    await empty();
    const { workspaceId } = seed;
    await db.workspace.update({ where: { id: workspaceId }, data: { storageQuotaBytes: 10 } });
    const written = (sha256: Buffer) => ({ id: uuidv7(), workspaceId, isApart: false, bytes: 6, sha256 });
    const [first, second] = [written(randomBytes(32)), written(randomBytes(32))];
    for (const file of [first, second]) await beginFile(db, { ...file, bytes: 0 });
    const isWaiting = async (): Promise<boolean> => {
      const [row] = await db.$queryRaw<{ count: number }[]>(
        Prisma.sql`SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%files.lock-quota%'`,
      );
      return (row?.count ?? 0) > 0;
    };
    let finishing: ReturnType<typeof finishFile> | undefined;
    await db.$transaction(
      async (tx) => {
        await tx.$queryRaw(Prisma.sql`SELECT id FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`);
        finishing = finishFile(db, first, 50);
        await until(isWaiting, 'the file to wait for the row of its workspace');
        await tx.storageChange.create({ data: { workspaceId, bytes: 5 } });
      },
      { timeout: 30_000 },
    );
    expect(await finishing).toBe('noRoom');
    await db.storageChange.deleteMany({ where: { workspaceId } });
    expect(await finishFile(db, first, 50)).toMatchObject({ id: first.id });
    expect(await finishFile(db, first, 50)).toMatchObject({ id: first.id });
    expect(await finishFile(db, second, 50)).toBe('noRoom');
    const same = { ...second, sha256: first.sha256 };
    expect(await finishFile(db, same, 50)).toMatchObject({ id: first.id });
  });

  it('limits the files of a run together', async () => {
    const executionId = await seed.accept();
    const limited = createFileStore(db, undefined, { ...OPTIONS, maxRunBytes: 3 * MIB });
    const file = { workspaceId: seed.workspaceId, executionId, name: 'a', keptMinutes: 1 };
    const first = await limited.save([randomBytes(2 * MIB)], file);
    await nameFiles(db, executionId, [first.file.id]);
    await expect(limited.save([randomBytes(2 * MIB)], file)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  it('limits the files of a run that are written at the same time, and by what else is stored meanwhile', async () => {
    const { _sum: before } = await db.workspace.aggregate({ _sum: { storedBytes: true } });
    const maxInstanceBytes = Number(before.storedBytes) + 20 * MIB;
    const limited = createFileStore(db, undefined, { ...OPTIONS, maxRunBytes: 5 * MIB, maxInstanceBytes });
    const executionId = await seed.accept();
    /** The content of a file, while which something else happens. */
    async function* during(act: () => Promise<unknown>) {
      yield await Promise.resolve(randomBytes(2 * MIB));
      await act();
      yield randomBytes(MIB);
    }
    const about = { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 };
    const beside = () => limited.save([randomBytes(3 * MIB)], { ...about, executionId });
    const tooMany = limited.save(during(beside), { ...about, executionId });
    await expect(tooMany).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    const others = (storedBytes: number) =>
      db.workspace.update({ where: { id: seed.workspaceId }, data: { storedBytes } });
    const full = limited.save(
      during(() => others(19 * MIB)),
      about,
    );
    await expect(full).rejects.toMatchObject({ code: 'INSTANCE_FULL' });
    await others(0);
  });

  it('counts what a run has stored and does not name, as in a loop of nodes that fail, until it is swept', async () => {
    await empty();
    const limited = createFileStore(db, undefined, { ...OPTIONS, maxRunBytes: 3_000_000 });
    const file = { workspaceId: seed.workspaceId, executionId: await seed.accept(), name: 'a', keptMinutes: 1 };
    const content = randomBytes(2_000_000);
    await limited.save([content], { ...file, executionId: undefined });
    await limited.save([content], file);
    await expect(limited.save([randomBytes(2_000_000)], file)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    await limited.save([randomBytes(2_000_000)], { ...file, executionId: await seed.accept() });
    await age();
    await limited.sweep(10);
    await limited.save([randomBytes(2_000_000)], file);
  });

  it('stores nothing beyond the space of the instance, which the data of all workspaces takes', async () => {
    await empty();
    const { _sum: before } = await db.workspace.aggregate({ _sum: { storedBytes: true } });
    const maxInstanceBytes = Number(before.storedBytes) + 3_000_000;
    const limited = createFileStore(db, undefined, { ...OPTIONS, maxInstanceBytes });
    const file = { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 };
    await limited.save([randomBytes(2_000_000)], file);
    const other = (await seedWorkflow(db, chain())).workspaceId;
    await db.workspace.update({ where: { id: other }, data: { storedBytes: 2_000_000 } });
    await expect(limited.save([randomBytes(2_000_000)], file)).rejects.toMatchObject({ code: 'INSTANCE_FULL' });
    await db.workspace.update({ where: { id: other }, data: { storedBytes: 0 } });
  });

  it('keeps an upload of bytes that an old run names for its whole time', async () => {
    const [content, executionId] = [randomBytes(10), await seed.accept()];
    const { file } = await save(content);
    await nameFiles(db, executionId, [file.id]);
    await save(content, { keptMinutes: 24 * 60 });
    await db.execution.delete({ where: { id: executionId } });
    const { expiresAt } = await db.file.findUniqueOrThrow({ where: { id: file.id } });
    expect((expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  });

  it('ends the largest file of the workspace that holds the most memory, though its part grows no more', async () => {
    const memory = createMemoryBudget(2.5 * MIB);
    const limited = createFileStore(db, undefined, { ...OPTIONS, memory });
    const goOn = Promise.withResolvers<undefined>();
    /** Begins to store a file of somewhat more than a part. */
    async function begin(workspaceId: string): Promise<{ saved: Promise<FileValue> }> {
      const isHeld = Promise.withResolvers<undefined>();
      async function* halting() {
        yield await Promise.resolve(randomBytes(MIB));
        isHeld.resolve(undefined);
        await goOn.promise;
        yield randomBytes(10);
      }
      const saved = limited.save(halting(), { workspaceId, name: 'a', keptMinutes: 1 });
      await isHeld.promise;
      return { saved };
    }
    const other = await begin((await seedWorkflow(db, chain())).workspaceId);
    const [first, second] = [await begin(seed.workspaceId), await begin(seed.workspaceId)];
    goOn.resolve(undefined);
    const ended = await Promise.allSettled([other, first, second].map(({ saved }) => saved));
    expect(ended).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'MEMORY_EXCEEDED' } },
      { status: 'fulfilled' },
    ]);
    expect(memory.usedBytes()).toBe(0);
  });

  it('deletes what a process that died has written, and a process that was only slow stores no part of it', async () => {
    await empty();
    let goOn: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let reached: (() => void) | undefined;
    const isWritten = new Promise<void>((resolve) => (reached = resolve));
    async function* slow() {
      yield randomBytes(17 * MIB);
      reached?.();
      await held;
      yield randomBytes(17 * MIB);
    }
    const saving = save(slow());
    const failed = expect(saving).rejects.toThrow(/swept|NoSuchUpload/);
    await isWritten;
    expect(await stored()).toMatchObject({ files: 0, unfinished: 1, uploads: objects ? 1 : 0 });
    expect(await store.sweep(10)).toBe(0);
    await age();
    expect(await store.sweep(10)).toBe(1);
    expect(await stored()).toEqual(NOTHING);
    goOn?.();
    await failed;
    await store.sweep(10);
    expect(await stored()).toEqual(NOTHING);
  });

  it('keeps a file whose content comes slowly', async () => {
    const ofSmall = createFileStore(db, undefined, { ...OPTIONS, renewedEveryMs: 0 });
    const left = async (): Promise<number> => {
      const [row] = await db.unfinishedFile.findMany({ where: { workspaceId: seed.workspaceId } });
      return (row?.expiresAt.getTime() ?? 0) - Date.now();
    };
    async function* slow() {
      yield randomBytes(MIB + 1);
      // The first part is written before the next piece is asked for.
      yield randomBytes(1);
      await db.unfinishedFile.updateMany({ data: { expiresAt: new Date(Date.now() + 60_000) } });
      yield randomBytes(1);
      expect(await left()).toBeGreaterThan(9 * 60_000);
      await age();
      yield randomBytes(1);
    }
    const saving = ofSmall.save(slow(), { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 });
    await expect(saving).rejects.toThrow('swept');
  });

  it('leaves nothing of a write that succeeds after the sweep', async () => {
    await empty();
    const late = store.attemptedBy(async (_what, act) => {
      const first = await act();
      if ((await db.unfinishedFile.count()) === 0) return first;
      // As after a response that got lost, and minutes without the store.
      await age();
      await store.sweep(10);
      return act();
    });
    const file = { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 };
    await expect(late.save([randomBytes(10)], file)).rejects.toThrow('swept');
    expect(await stored()).toEqual(NOTHING);
  });

  it('keeps the content of a file that was finished without a response', async () => {
    await empty();
    const content = randomBytes(10);
    const lossy = store.attemptedBy(async (_what, act) => {
      const result = await act();
      if ((await db.file.count({ where: { workspaceId: seed.workspaceId } })) > 0) throw new Error('no response');
      return result;
    });
    const file = { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 };
    await expect(lossy.save([content], file)).rejects.toThrow('no response');
    await store.sweep(10);
    expect(await stored()).toMatchObject({ files: 1, unfinished: 0 });
    expect((await read(await save(content))).equals(content)).toBe(true);
  });

  it('keeps a file while a run names it', async () => {
    await empty();
    const value = await save(randomBytes(2 * MIB));
    const { id } = value.file;
    const [first, second, third] = [await seed.accept(), await seed.accept({ order: [value] }), await seed.accept()];
    for (const run of [first, third, first]) await nameFiles(db, run, [id, uuidv7()]);
    await age();
    await store.sweep(10);
    await db.execution.delete({ where: { id: first } });
    await age();
    await store.sweep(10);
    expect((await read(value)).length).toBe(2 * MIB);
    await db.execution.updateMany({ where: { id: third }, data: { status: 'success', finishedAt: new Date() } });
    await db.unindexedExecution.deleteMany();
    expect(await pruneData(db, [third])).toBe(1);
    await age();
    await store.sweep(10);
    expect((await read(value)).length).toBe(2 * MIB);
    await db.execution.delete({ where: { id: second } });
    // Somebody may be about to name it.
    await store.sweep(10);
    expect(await stored()).toMatchObject({ files: 1 });
    await age();
    expect(await store.sweep(10)).toBe(1);
    expect(await stored()).toEqual(NOTHING);
    const files = await db.storageChange.findMany({ where: { bytes: { in: [2 * MIB, -2 * MIB] } } });
    expect(files.reduce((sum, { bytes }) => sum + bytes, 0n)).toBe(0n);
  });

  it('deletes what has expired in the same pass', async () => {
    await empty();
    for (let turn = 1; turn <= 40; turn += 1) {
      await save(randomBytes(10));
      await age();
      expect(await store.sweep(10)).toBe(1);
    }
  });

  it('has every file that a run could name, while others sweep', async () => {
    await empty();
    const runs = await Promise.all(Array.from({ length: 12 }, () => seed.accept()));
    const values = await Promise.all(runs.map(() => save(randomBytes(1_000))));
    await age();
    await Promise.all([
      ...runs.map((run, index) =>
        nameFiles(
          db,
          run,
          values.slice(index).map(({ file }) => file.id),
        ),
      ),
      ...[1, 2, 3].map(() => store.sweep(5)),
    ]);
    for (const { fileId } of await db.executionFile.findMany())
      expect((await read({ file: { id: fileId, name: '', contentType: '', bytes: 0, sha256: '' } })).length).toBe(
        1_000,
      );
    while ((await store.sweep(100)) > 0);
    const named = await db.executionFile.findMany({ distinct: ['fileId'] });
    const [parts, kept] = objects ? [0, named.length] : [named.length, 0];
    expect(await stored()).toEqual({ ...NOTHING, files: named.length, parts, objects: kept });
  });

  if (kind === 'postgres') return;

  it('sweeps the files after one that cannot be deleted, and that one again', async () => {
    if (!objects) throw new Error('there is an object store');
    await empty();
    const first = await save(randomBytes(10));
    await save(randomBytes(10));
    await age();
    const isFirst = (key: string): boolean => key.includes(first.file.id);
    objects.setRefusing((method, key) => method === 'POST' && isFirst(key));
    await expect(store.sweep(10)).rejects.toThrow('1 files could not be deleted');
    expect([...objects.objects.keys()].filter((key) => !isFirst(key))).toEqual([]);
    // A store that refuses to list unfinished uploads still deletes objects.
    objects.setRefusing((_method, key) => key === '');
    expect(await store.sweep(10)).toBe(1);
    objects.setRefusing(() => false);
    expect(await stored()).toEqual(NOTHING);
  });

  it('sweeps what was written after the sweep, if it could not be deleted at that moment', async () => {
    if (!objects) throw new Error('there is an object store');
    const { setRefusing } = objects;
    await empty();
    const late = store.attemptedBy(async (_what, act) => {
      const isWritten = (await db.unfinishedFile.count()) > 0;
      if (isWritten) {
        // As while the process is frozen.
        await age();
        await store.sweep(10);
      }
      const result = await act();
      if (isWritten) setRefusing((method) => method === 'POST');
      return result;
    });
    const file = { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 };
    await expect(late.save([randomBytes(10)], file)).rejects.toThrow('swept');
    setRefusing(() => false);
    expect(await stored()).toMatchObject({ objects: 1, unfinished: 1 });
    expect(await store.sweep(10)).toBe(1);
    expect(await stored()).toEqual(NOTHING);
  });

  it('has the files of the object store while new ones go to PostgreSQL', async () => {
    if (!objects) throw new Error('there is an object store');
    const value = await save(randomBytes(10));
    const env = { ...OUTPUTS_IN_POSTGRES, ...objects.env, OUTPUT_STORE: 'postgres', S3_REGION: 'x' } as const;
    const changed = await openFileStore(env, db);
    const pieces: Uint8Array[] = [];
    for await (const piece of (await changed.open(seed.workspaceId, value.file.id)).content) pieces.push(piece);
    expect(Buffer.concat(pieces).length).toBe(10);
    const before = objects.objects.size;
    await changed.save([randomBytes(10)], { workspaceId: seed.workspaceId, name: 'a', keptMinutes: 1 });
    expect(objects.objects.size).toBe(before);
    changed.close();
  });
});
