import {
  createDatabase,
  type Database,
  findBulkRuns,
  indexExecutions,
  listExecutionIds,
  listFailureGroups,
  pruneData,
  pruneRuns,
  readFailureGroup,
  updateFailureGroup,
} from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.ts';

/** As many as a workspace may have. */
const MAX_GROUPS = 1_000;

let db: Database;
let seed: Seed;

beforeAll(async () => {
  db = createDatabase({ url: (await createTestDatabase()).url, poolSize: 6 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);
beforeEach(async () => {
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'fail', parameters: { message: 'No' } }));
});

const actor = ({ userId }: Seed = seed) => ({ userId, boundTo: null });
const PAGE = { limit: 100, offset: 0, includeTotal: true };

/** Adds a run that failed, and that waits to be indexed. */
async function fail(
  message = 'No such order',
  { mode = 'normal', of = seed, at = new Date(), status = 'failed' } = {},
): Promise<string> {
  const id = await of.accept({ n: 1 });
  await db.$executeRaw`
    UPDATE executions SET status = ${status}::execution_status, execution_mode = ${mode}::execution_mode, finished_at = ${at},
      started_at = ${at}, error = ${JSON.stringify({ message, nodeId: 'a', code: 'NODE_FAILED' })}
    WHERE id = ${id}::uuid`;
  await db.$executeRaw`INSERT INTO unindexed_executions (execution_id) VALUES (${id}::uuid)`;
  return id;
}

const list = async (query: Partial<Parameters<typeof listFailureGroups>[2]> = {}, of: Seed = seed) =>
  (await listFailureGroups(db, actor(of), { workspaceId: of.workspaceId, ...PAGE, ...query })).data;

/** The only group of the workspace. */
async function only() {
  const groups = await list();
  expect(groups).toHaveLength(1);
  return groups[0]!;
}

async function runsOf(failureGroup: string): Promise<string[]> {
  const order = { sortBy: 'startedAt', sortOrder: 'asc' } as const;
  const request = { workspaceId: seed.workspaceId, failureGroup, ...order, ...PAGE };
  return [...(await listExecutionIds(db, actor(), request)).ids].sort();
}

describe('runs that failed', () => {
  it('are grouped by node type, code and normalized message', async () => {
    const alike = [await fail('No order 17'), await fail('No order 18', { status: 'timeout' })];
    const other = await fail('Another message');
    const foreign = await seedWorkflow(db, chain({ id: 'a', type: 'fail', parameters: { message: 'No' } }));
    const elsewhere = await fail('No order 19', { of: foreign });
    await indexExecutions(db, [...alike, other, elsewhere]);
    const groups = await list();
    expect(groups).toHaveLength(2);
    const group = groups.find(({ count }) => count === 2)!;
    expect(group).toMatchObject({
      nodeType: 'fail',
      code: 'NODE_FAILED',
      message: 'No order <number>',
      state: 'open',
      lastExecutionId: alike[1],
      workflows: [{ workflowId: seed.workflowId, workflowName: 'Test', versions: [{ number: 1, count: 2 }] }],
    });
    expect(await runsOf(group.id)).toEqual([...alike].sort());
    expect(await list({}, foreign)).toMatchObject([{ count: 1 }]);
    expect(await list({ workflowId: seed.workflowId, state: 'open' })).toHaveLength(2);
    expect(await list({ workflowId: uuidv7() })).toEqual([]);
    expect(await list({ state: 'ignored' })).toEqual([]);
  });

  it('are not group if their author only tried them', async () => {
    await indexExecutions(db, [await fail('a', { mode: 'test' }), await fail('b', { mode: 'sandbox' })]);
    expect(await list()).toEqual([]);
  });

  it('may have any message', async () => {
    await indexExecutions(db, [await fail('\u0000\ud800 "'), await fail('')]);
    expect(await list()).toHaveLength(2);
  });

  it('are chosen by bulk actions', async () => {
    const ids = [await fail(), await fail()];
    await indexExecutions(db, [...ids, await fail('Another message')]);
    const group = (await list()).find(({ count }) => count === 2)!;
    const body = { workspaceId: seed.workspaceId, action: 'rerun', filter: { failureGroup: group.id } } as const;
    expect((await findBulkRuns(db, actor(), body)).sort()).toEqual([...ids].sort());
  });
});

describe('a failure is counted once', () => {
  it('by processes that index the same runs at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => fail()));
    await Promise.all([1, 2, 3, 4].map(() => indexExecutions(db, ids)));
    await indexExecutions(db, ids);
    expect(await only()).toMatchObject({ count: 40, workflows: [{ versions: [{ count: 40 }] }] });
  });

  it('by a process that dies at any statement, and the next one', async () => {
    const ids = [await fail(), await fail()];
    let lastDeath = 0;
    for (let death = 1; ; death += 1) {
      const dying = dieAt(death);
      const indexed = await indexExecutions(dying, ids).then(
        () => true,
        () => false,
      );
      if (indexed) break;
      expect(await list()).toEqual([]);
      expect(await db.unindexedExecution.count({ where: { executionId: { in: ids } } })).toBe(2);
      lastDeath = death;
    }
    expect(lastDeath).toBeGreaterThan(4);
    expect(await only()).toMatchObject({ count: 2 });
  });

  it('after retention deleted the data of its run, which stays in its group', async () => {
    const id = await fail();
    await indexExecutions(db, [id]);
    const group = await only();
    expect(await pruneData(db, [id])).toBe(1);
    await indexExecutions(db, [id]);
    expect(await only()).toMatchObject({ count: 1 });
    expect(await runsOf(group.id)).toEqual([id]);
    expect(await pruneRuns(db, [id])).toBe(1);
    expect(await runsOf(group.id)).toEqual([]);
    expect(await only()).toMatchObject({ count: 1 });
  });

  it('by a process that read it before another one counted it and retention put it back', async () => {
    const id = await fail();
    const slow = new Proxy(db, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== '$transaction') return typeof member === 'function' ? member.bind(target) : member;
        return async (work: Parameters<Database['$transaction']>[0]) => {
          await indexExecutions(db, [id]);
          await pruneData(db, [id]);
          return target.$transaction(work as never);
        };
      },
    });
    await indexExecutions(slow, [id]);
    expect(await only()).toMatchObject({ count: 1 });
    expect(await runsOf((await only()).id)).toEqual([id]);
  });
});

/** A database whose process dies at a statement of its transaction; with the last one before its commit. */
function dieAt(death: number): Database {
  let statements = 0;
  const died = () => {
    statements += 1;
    if (statements === death) throw new Error('the process died');
  };
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== '$transaction') return typeof member === 'function' ? member.bind(target) : member;
      return (work: (tx: object) => Promise<unknown>) =>
        target.$transaction(async (tx) => {
          const counted = new Proxy(tx, {
            get(of, statement) {
              const run: unknown = Reflect.get(of, statement, of);
              if (typeof run !== 'function') return run;
              return (...given: unknown[]): unknown => {
                died();
                return run.apply(of, given);
              };
            },
          });
          const result = await work(counted);
          died();
          return result;
        });
    },
  });
}

describe('the state of a group', () => {
  it('is open again once a run fails after it was resolved, and not by an earlier failure', async () => {
    const early = await fail();
    await indexExecutions(db, [await fail()]);
    const { id } = await only();
    expect(await updateFailureGroup(db, actor(), id, 'resolved')).toMatchObject({ state: 'resolved' });
    await indexExecutions(db, [early]);
    expect(await only()).toMatchObject({ state: 'resolved', count: 2 });
    await indexExecutions(db, [await fail('No such order', { at: new Date(Date.now() + 1_000) })]);
    expect(await only()).toMatchObject({ state: 'open', count: 3 });
  });

  it('stays ignored', async () => {
    await indexExecutions(db, [await fail()]);
    const { id } = await only();
    await updateFailureGroup(db, actor(), id, 'ignored');
    await indexExecutions(db, [await fail('No such order', { at: new Date(Date.now() + 1_000) })]);
    expect(await only()).toMatchObject({ state: 'ignored', count: 2 });
  });

  it('is recorded in the audit log when it changes', async () => {
    await indexExecutions(db, [await fail()]);
    const { id } = await only();
    for (const state of ['ignored', 'ignored', 'open'] as const) await updateFailureGroup(db, actor(), id, state);
    const entries = await db.auditEntry.findMany({ where: { resourceId: id }, orderBy: { at: 'asc' } });
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['failureGroup.update', { state: 'ignored' }],
      ['failureGroup.update', { state: 'open' }],
    ]);
  });

  it('is for members of the workspace only', async () => {
    await indexExecutions(db, [await fail()]);
    const { id } = await only();
    const stranger = await seedWorkflow(db, chain());
    await expect(readFailureGroup(db, actor(stranger), id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(updateFailureGroup(db, actor(stranger), id, 'resolved')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await only()).toMatchObject({ state: 'open' });
  });
});

describe('the number of groups', () => {
  /** Fills the workspace with groups; the first ones failed longest ago. */
  async function fill(count = MAX_GROUPS): Promise<string[]> {
    const data = Array.from({ length: count }, (_, index) => ({
      id: uuidv7(),
      workspaceId: seed.workspaceId,
      fingerprint: String(index),
      message: 'm',
      runCount: 1,
      firstSeenAt: new Date(Date.now() - 60_000 + index),
      lastSeenAt: new Date(Date.now() - 60_000 + index),
      lastExecutionId: uuidv7(),
    }));
    await db.failureGroup.createMany({ data });
    return data.map(({ id }) => id);
  }
  const count = () => db.failureGroup.count({ where: { workspaceId: seed.workspaceId } });
  const words = (from: string, length: number) =>
    Promise.all(Array.from({ length }, (_, index) => fail(`${from} ${String.fromCharCode(97 + index).repeat(3)}`)));

  it('is limited, however many messages an author invents: the rest is one group', async () => {
    await fill();
    const ids = await words('one', 3);
    await indexExecutions(db, ids);
    expect(await count()).toBe(MAX_GROUPS + 1);
    const [other] = await list();
    expect(other).toMatchObject({ code: null, nodeType: null, message: 'Other failures', count: 3 });
    expect(await runsOf(other!.id)).toEqual([...ids].sort());
    await indexExecutions(db, await words('two', 2));
    expect((await list())[0]).toMatchObject({ id: other!.id, count: 5 });
  });

  it('is not exceeded by processes that add groups at the same time', async () => {
    await fill(MAX_GROUPS - 5);
    const batches = await Promise.all(['one', 'two', 'three', 'four'].map((from) => words(from, 4)));
    await Promise.all(batches.map((ids) => indexExecutions(db, ids)));
    expect(await count()).toBe(MAX_GROUPS + 1);
    expect((await list())[0]).toBeDefined();
    const other = await db.failureGroup.findFirstOrThrow({
      where: { workspaceId: seed.workspaceId, fingerprint: 'other' },
    });
    expect(Number(other.runCount)).toBe(11);
  });

  it('makes room by closed groups, those that failed longest ago first', async () => {
    const groups = await fill();
    const closed = [groups[7], groups[9], groups[8]].map((id) => id!);
    for (const id of closed) await updateFailureGroup(db, actor(), id, 'resolved');
    await indexExecutions(db, await words('one', 2));
    expect(await count()).toBe(MAX_GROUPS);
    const left = await db.failureGroup.findMany({ where: { id: { in: closed } } });
    expect(left.map(({ id }) => id)).toEqual([groups[9]]);
  });
});
