import {
  claimExecutions,
  createDatabase,
  type Database,
  findFreeLocks,
  findLocksOf,
  findRunsWithChangedLocks,
  freeLock,
  freeLocksOf,
  releaseLock,
  requestLock,
  settleLocks,
  wakeHolders,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  nodeRow,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
} from '../../harness/index.ts';

let db: Database;
let seed: Seed;
let keys = 0;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 10 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const nameOf = (key: string) => ({ workspaceId: seed.workspaceId, key });
const newKey = () => `key ${(keys += 1)}`;

/** Requests a lock for a node of a run. */
async function ask(executionId: string, key: string, more: { maxHolders?: number; timeoutMs?: number } = {}) {
  const { maxHolders = 1, timeoutMs = null } = more;
  const request = { ...nameOf(key), executionId, nodeId: 'lock', iteration: '', maxHolders, timeoutMs };
  return (await requestLock(db, request)).verdict.kind;
}

/** Accepts runs, the first of which holds the lock while the others wait in their order. */
async function queueOf(key: string, count: number): Promise<readonly [string, ...string[]]> {
  const first = await seed.accept();
  expect(await ask(first, key)).toBe('acquired');
  const others: string[] = [];
  for (let index = 1; index < count; index += 1) {
    const id = await seed.accept();
    expect(await ask(id, key)).toBe('waiting');
    others.push(id);
  }
  return [first, ...others];
}

/** The run, if others may have its locks now. */
const findChanged = async (executionId: string) =>
  (await findRunsWithChangedLocks(db)).filter((run) => run.executionId === executionId);

const isFree = async (key: string) => (await findFreeLocks(db)).some((name) => name.key === key);

describe('a lock', () => {
  it('is held by as many as its limit at the same time, however many ask at once', async () => {
    const key = newKey();
    const runs = await Promise.all(Array.from({ length: 20 }, () => seed.accept()));
    const verdicts = await Promise.all(runs.map((id) => ask(id, key, { maxHolders: 3 })));
    expect(verdicts.filter((kind) => kind === 'acquired')).toHaveLength(3);
    // Asking again, as after a lost response or a crash, changes nothing.
    expect(await Promise.all(runs.map((id) => ask(id, key, { maxHolders: 3 })))).toEqual(verdicts);
    const holders = runs.filter((_, index) => verdicts[index] === 'acquired');
    await Promise.all(holders.map((id) => releaseLock(db, id, nameOf(key))));
    const next = await Promise.all(runs.map((id) => ask(id, key, { maxHolders: 3 })));
    expect(next.filter((kind) => kind === 'acquired')).toHaveLength(3);
  });

  it('goes to those who wait in their order, and nobody overtakes the first', async () => {
    const key = newKey();
    const [first, second, third] = await queueOf(key, 3);
    // Its limit would admit it, but it came later.
    const last = await seed.accept();
    expect(await ask(last, key, { maxHolders: 9 })).toBe('waiting');
    await releaseLock(db, first, nameOf(key));
    expect(await ask(third ?? '', key)).toBe('waiting');
    expect(await ask(second ?? '', key)).toBe('acquired');
  });

  it('goes to all who may have it, also if these are more than one statement grants', async () => {
    const key = newKey();
    const [first, second] = await queueOf(key, 2);
    const others = await Promise.all(Array.from({ length: 130 }, () => seed.accept()));
    // One after another, as each waits for the key with a connection of its own.
    for (const id of others) await ask(id, key, { maxHolders: 200 });
    const held = () => db.runLock.count({ where: { key, acquiredAt: { not: null } } });
    await releaseLock(db, first, nameOf(key));
    expect(await held()).toBe(1);
    await releaseLock(db, second ?? '', nameOf(key));
    expect(await held()).toBe(100);
    expect(await isFree(key)).toBe(true);
    const changed = (await findRunsWithChangedLocks(db)).map(({ executionId }) => executionId);
    expect(changed.some((id) => others.includes(id))).toBe(true);
    await freeLock(db, nameOf(key));
    expect(await held()).toBe(130);
    expect(await isFree(key)).toBe(false);
  });

  it.each(['success', 'failed', 'timeout', 'stopped'] as const)('is freed by a run that ends as %s', async (status) => {
    const key = newKey();
    const [first, second] = await queueOf(key, 2);
    expect(await isFree(key)).toBe(false);
    await db.execution.update({ where: { id: first }, data: { status, finishedAt: new Date() } });
    expect(await isFree(key)).toBe(true);
    await freeLock(db, nameOf(key));
    expect(await isFree(key)).toBe(false);
    expect(await ask(second ?? '', key)).toBe('acquired');
    expect(await db.runLock.count({ where: { executionId: first } })).toBe(0);
  });

  it('is freed by a run that is deleted, and by one whose worker reports its end', async () => {
    const key = newKey();
    const [first, second, third] = await queueOf(key, 3);
    await db.execution.delete({ where: { id: first } });
    expect(await isFree(key)).toBe(true);
    await freeLock(db, nameOf(key));
    await db.execution.update({ where: { id: second ?? '' }, data: { status: 'failed', finishedAt: new Date() } });
    await freeLocksOf(db, second ?? '');
    expect(await ask(third ?? '', key)).toBe('acquired');
  });

  it('is not held by a node that its run cancelled', async () => {
    const key = newKey();
    const [first, second, third] = await queueOf(key, 3);
    for (const executionId of [first, second ?? ''])
      await db.nodeRun.create({ data: { executionId, nodeId: 'lock', status: 'stopped' } });
    expect(await isFree(key)).toBe(true);
    await freeLock(db, nameOf(key));
    expect(await ask(third ?? '', key)).toBe('acquired');
  });

  it('is either acquired or timed out', async () => {
    const key = newKey();
    const [first] = await queueOf(key, 1);
    const late = await seed.accept();
    expect(await ask(late, key, { timeoutMs: 0 })).toBe('timedOut');
    const granted = await seed.accept();
    expect(await ask(granted, key, { timeoutMs: 60_000 })).toBe('waiting');
    await releaseLock(db, first, nameOf(key));
    // Its time is up before it asks again, but the lock was granted before that.
    await db.runLock.updateMany({ where: { executionId: granted }, data: { dueAt: new Date(0) } });
    expect(await ask(granted, key, { timeoutMs: 60_000 })).toBe('acquired');
    const expired = await seed.accept();
    expect(await ask(expired, key, { timeoutMs: 60_000 })).toBe('waiting');
    await db.runLock.updateMany({ where: { executionId: expired }, data: { dueAt: new Date(0) } });
    await releaseLock(db, granted, nameOf(key));
    expect(await ask(expired, key, { timeoutMs: 60_000 })).toBe('timedOut');
    expect(await ask(late, key)).toBe('acquired');
  });

  it('wakes a run that got it before it rested', async () => {
    const key = newKey();
    const [first, second = ''] = await queueOf(key, 2);
    await db.execution.update({ where: { id: second }, data: { status: 'running' } });
    expect(await releaseLock(db, first, nameOf(key))).toEqual([]);
    const rest = { executionId: second, nodeId: 'lock', iteration: '~1', kind: 'time', details: '{}' } as const;
    await db.wait.create({ data: { ...rest, createdAt: new Date() } });
    expect(await wakeHolders(db)).toMatchObject([{ executionId: second, dispatch: 2 }]);
    expect(await db.execution.findUnique({ where: { id: second } })).toMatchObject({ answerCount: 1 });
    expect(await ask(second, key)).toBe('acquired');
    expect(await wakeHolders(db)).toEqual([]);
  });

  it('of another workspace is another one', async () => {
    const key = newKey();
    await queueOf(key, 1);
    const other = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    const request = {
      key,
      nodeId: 'lock',
      iteration: '',
      maxHolders: 1,
      timeoutMs: null,
      executionId: await other.accept(),
    };
    expect((await requestLock(db, { ...request, workspaceId: other.workspaceId })).verdict.kind).toBe('acquired');
    // Nor does another run release it.
    expect(await releaseLock(db, uuidv7(), nameOf(key))).toEqual([]);
    expect(await ask(await seed.accept(), key)).toBe('waiting');
  });
});

describe('maintenance finds a run with locks', () => {
  it('that has ended, until these were given to others', async () => {
    const key = newKey();
    const [first, second = ''] = await queueOf(key, 2);
    expect(await findChanged(first)).toEqual([]);
    await db.execution.update({ where: { id: first }, data: { status: 'stopped', finishedAt: new Date() } });
    const changed = await findChanged(first);
    expect(changed).toHaveLength(1);
    // A pass that dies here has noted nothing, and the next finds it again.
    await settleLocks(db, changed);
    expect(await findChanged(first)).toHaveLength(1);
    const names = await findLocksOf(db, [first]);
    expect(names).toEqual([nameOf(key)]);
    for (const name of names) await freeLock(db, name);
    await settleLocks(db, changed);
    expect(await findChanged(first)).toEqual([]);
    expect(await ask(second, key)).toBe('acquired');
  });

  it('that has ended after it released them, once', async () => {
    const key = newKey();
    const [first] = await queueOf(key, 1);
    await releaseLock(db, first, nameOf(key));
    await db.execution.update({ where: { id: first }, data: { status: 'success', finishedAt: new Date() } });
    await settleLocks(db, await findChanged(first));
    expect(await findChanged(first)).toEqual([]);
  });

  it('whose node was cancelled, also if another node is cancelled meanwhile', async () => {
    const key = newKey();
    const [first, second = ''] = await queueOf(key, 2);
    const token = uuidv7();
    const [claimed] = await claimExecutions(db, [{ executionId: first, dispatch: 1, token }], uuidv7());
    const cancel = (checkpoint: number, nodeId: string) =>
      writeCheckpoints(db, [
        {
          ...{ executionId: first, epoch: claimed?.epoch ?? 0, token, claim: null, checkpoint, currentNodeId: null },
          ...{ loopPositions: null, nodeIterations: [], waits: [], ending: null },
          nodeRuns: [nodeRow(nodeId, { status: 'stopped', startedAt: null, finishedAt: null })],
        },
      ]);
    expect(await cancel(1, 'lock')).toEqual(['written']);
    const changed = await findChanged(first);
    expect(changed).toHaveLength(1);
    expect(await cancel(2, 'other')).toEqual(['written']);
    await settleLocks(db, changed);
    expect(await findChanged(first)).toHaveLength(1);
    await freeLock(db, nameOf(key));
    await settleLocks(db, await findChanged(first));
    expect(await findChanged(first)).toEqual([]);
    expect(await ask(second, key)).toBe('acquired');
  });
});
