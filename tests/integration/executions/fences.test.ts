import type { Checkpoint, Database } from '@deckhand/db';
import {
  claimExecutions,
  createDatabase,
  dispatchRunsOfDeadWorkers,
  dispatchAgain,
  loadNodeRuns,
  digestOfRun,
  readUnclaimed,
  releaseExecutions,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.js';

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

async function claim(executionId: string, dispatch = 1, workerId = uuidv7()) {
  const [claimed] = await claimExecutions(db, [{ executionId, dispatch }], workerId);
  return claimed && { ...claimed, workerId };
}

function checkpoint(executionId: string, epoch: number, number: number, rest: Partial<Checkpoint> = {}): Checkpoint {
  const row = {
    nodeId: 'a',
    status: 'success' as const,
    startedAt: 1_000,
    finishedAt: 2_000,
    attempts: 1,
    handle: null,
    output: `{"by":${epoch}}`,
    outputRef: null,
    outputBytes: 8,
    error: null,
    state: null,
    debug: null,
    iterations: null,
    lastIteration: null,
  };
  return {
    executionId,
    epoch,
    claim: null,
    checkpoint: number,
    currentNodeId: 'a',
    nodeRuns: [row],
    nodeIterations: [],
    waits: [],
    ending: null,
    ...rest,
  };
}

const success = { kind: 'finished', status: 'success', error: null, result: null } as const;
const statusOf = async (id: string) => (await db.execution.findUniqueOrThrow({ where: { id } })).status;

describe('a claim', () => {
  it('is given once a dispatch', async () => {
    const id = await seed.accept();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(id)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await statusOf(id)).toBe('running');
  });

  it('may be asked for again by the worker that never got its answer, with a new epoch', async () => {
    const id = await seed.accept();
    const first = await claim(id);
    const again = await claim(id, 1, first?.workerId);
    expect([first?.epoch, again?.epoch]).toEqual([1, 2]);
  });

  it('is refused for a job of an earlier dispatch', async () => {
    const id = await seed.accept();
    const first = await claim(id);
    await releaseExecutions(db, first?.workerId ?? '', [{ executionId: id, epoch: first?.epoch ?? 0 }]);
    expect(await claim(id, 1)).toBeUndefined();
    expect(await claim(id, 2)).toMatchObject({ epoch: 2 });
  });

  it('is refused once the run is finished', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    await writeCheckpoints(db, [checkpoint(id, held?.epoch ?? 0, 1, { ending: success })]);
    expect(await claim(id)).toBeUndefined();
  });
});

describe('a first checkpoint', () => {
  const begin = async (id: string) => {
    const [run] = await readUnclaimed(db, [{ executionId: id }]);
    const claim = run && { ...run, workerId: uuidv7(), begunAt: performance.now() };
    return { run, first: (rest: Partial<Checkpoint> = {}) => checkpoint(id, run?.epoch ?? 0, 1, { claim, ...rest }) };
  };

  it('claims the run for one of those that began it, whether it ends the run or not', async () => {
    for (const ending of [null, success, { kind: 'resting', status: 'running', wakeAt: null, answers: 0 } as const]) {
      const id = await seed.accept();
      const began = await Promise.all(Array.from({ length: 4 }, () => begin(id)));
      expect(began.map(({ run }) => [run?.isProvisional, run?.epoch])).toEqual(Array(4).fill([true, 1]));
      const verdicts = await Promise.all(began.map(({ first }) => writeCheckpoints(db, [first({ ending })])));
      const written = began.filter((_, index) => verdicts[index]?.[0] === 'written');
      // Those that find the run ended in the same way have nothing left to do, either.
      expect(written.length === 1 || ending === success).toBe(true);
      const row = await db.execution.findUniqueOrThrow({ where: { id } });
      const claim = written[0]?.first().claim;
      expect(row).toMatchObject({
        status: ending?.status ?? 'running',
        workerId: ending ? null : claim?.workerId,
        epoch: 1,
        claimedDispatch: 1,
        revision: 1,
      });
      const startedAt = row.startedAt?.getTime();
      expect(startedAt).toBeGreaterThanOrEqual(row.createdAt.getTime());
      expect(startedAt).toBeLessThanOrEqual(row.finishedAt?.getTime() ?? Infinity);
      expect(await loadNodeRuns(db, id)).toHaveLength(1);
    }
  });

  it('whose answer got lost is recognised when it is written again', async () => {
    for (const ending of [null, success]) {
      const id = await seed.accept();
      const { first } = await begin(id);
      expect(await writeCheckpoints(db, [first({ ending })])).toEqual(['written']);
      const before = await db.execution.findUniqueOrThrow({ where: { id } });
      expect(await writeCheckpoints(db, [first({ ending })])).toEqual(['written']);
      expect(await db.execution.findUniqueOrThrow({ where: { id } })).toEqual(before);
    }
  });

  it('says when the run was begun by how long ago that was, but not before it was accepted', async () => {
    const [minute, hour] = [60_000, 3_600_000];
    for (const [acceptedMsAgo, isBefore] of [
      [0, true],
      [hour, false],
    ] as const) {
      const id = await seed.accept();
      const createdAt = new Date(Date.now() - acceptedMsAgo);
      await db.execution.update({ where: { id }, data: { createdAt } });
      const { first } = await begin(id);
      const { claim, ...rest } = first({ ending: success });
      await writeCheckpoints(db, [{ ...rest, claim: claim && { ...claim, begunAt: claim.begunAt - minute } }]);
      const run = await db.execution.findUniqueOrThrow({ where: { id } });
      const [startedAt = NaN, finishedAt = NaN] = [run.startedAt?.getTime(), run.finishedAt?.getTime()];
      expect(startedAt === createdAt.getTime()).toBe(isBefore);
      expect(finishedAt - startedAt >= minute).toBe(!isBefore);
    }
  });

  it('writes nothing where the run is not as the worker began it, in whatever', async () => {
    const id = await seed.accept({ text: 'ä "quoted" \u{1f680} \ud800' });
    const { run, first } = await begin(id);
    if (!run) throw new Error('there is no run');
    const write = (begun: typeof run) => {
      const claim = { workerId: uuidv7(), begunAt: performance.now(), digest: digestOfRun(begun) };
      return writeCheckpoints(db, [{ ...first({ ending: success }), claim }]);
    };
    const others = [
      { workspaceId: uuidv7() },
      { workflowVersionId: uuidv7() },
      { executionMode: 'debug' },
      { triggerNodeId: 'other' },
      { triggerData: run.triggerData.replace('quoted', 'forged') },
      { deadlineAt: new Date(run.deadlineAt.getTime() + 1) },
    ] as const;
    for (const other of others) expect([other, await write({ ...run, ...other })]).toEqual([other, ['fenced']]);
    expect(await statusOf(id)).toBe('pending');
    expect(await write(run)).toEqual(['written']);
  });

  it('is followed by others of the same epoch', async () => {
    const id = await seed.accept();
    const { first } = await begin(id);
    await writeCheckpoints(db, [first()]);
    expect(await writeCheckpoints(db, [checkpoint(id, 1, 2, { ending: success })])).toEqual(['written']);
    expect(await statusOf(id)).toBe('success');
  });

  it('writes nothing once the run is claimed, sent out again, paused, stopped or limited', async () => {
    const changes: Record<string, (id: string) => Promise<unknown>> = {
      claimed: (id) => claim(id),
      dispatched: (executionId) => dispatchAgain(db, [{ workspaceId: '', executionId, dispatch: 1 }]),
      paused: (id) => db.execution.update({ where: { id }, data: { status: 'paused' } }),
      stopped: (id) => db.execution.update({ where: { id }, data: { status: 'stopped', finishedAt: new Date() } }),
      limited: () => db.workflow.updateMany({ data: { maxConcurrentExecutions: 1 } }),
    };
    try {
      for (const [name, change] of Object.entries(changes)) {
        const id = await seed.accept();
        const { first } = await begin(id);
        await change(id);
        const before = await db.execution.findUniqueOrThrow({ where: { id } });
        expect([name, await writeCheckpoints(db, [first({ ending: success })])]).toEqual([name, ['fenced']]);
        expect(await db.execution.findUniqueOrThrow({ where: { id } })).toEqual(before);
        expect(await loadNodeRuns(db, id)).toEqual([]);
        expect(await readUnclaimed(db, [{ executionId: id }])).toEqual([]);
      }
    } finally {
      await db.workflow.updateMany({ data: { maxConcurrentExecutions: null } });
    }
  });
});

describe('a worker that was taken over', () => {
  it('can write nothing any more, neither node runs nor an ending', async () => {
    const id = await seed.accept();
    const old = await claim(id);
    const [dispatched] = await dispatchRunsOfDeadWorkers(db, [old?.workerId ?? ''], 10);
    const next = await claim(id, dispatched?.dispatch);
    expect(next?.epoch).toBe(2);

    const late = [checkpoint(id, 1, 1, { ending: success })];
    expect(await writeCheckpoints(db, late)).toEqual(['fenced']);
    expect(await loadNodeRuns(db, id)).toEqual([]);
    expect(await statusOf(id)).toBe('running');

    expect(await writeCheckpoints(db, [checkpoint(id, 2, 1, { ending: success })])).toEqual(['written']);
    expect(await writeCheckpoints(db, late)).toEqual(['fenced']);
    expect((await loadNodeRuns(db, id)).map((row) => row.output)).toEqual(['{"by":2}']);
  });
});

describe('a checkpoint', () => {
  it('whose answer got lost is recognised when it is written again', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    const last = checkpoint(id, held?.epoch ?? 0, 1, { ending: success });
    expect(await writeCheckpoints(db, [last])).toEqual(['written']);
    const before = await db.execution.findUniqueOrThrow({ where: { id } });
    expect(await writeCheckpoints(db, [last])).toEqual(['written']);
    expect(await db.execution.findUniqueOrThrow({ where: { id } })).toEqual(before);
    expect(before.storedBytes).toBe('{}'.length + 8);
  });

  it('of a paused run keeps its node runs and not its ending', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    await db.execution.update({ where: { id }, data: { status: 'paused' } });
    expect(await writeCheckpoints(db, [checkpoint(id, held?.epoch ?? 0, 1, { ending: success })])).toEqual(['paused']);
    expect(await statusOf(id)).toBe('paused');
    expect(await loadNodeRuns(db, id)).toHaveLength(1);
  });

  it('takes the start from a node that a pause kept from its first attempt, and from no other', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    const starts: (number | undefined)[][] = [];
    const steps = [
      ['running', 1_000],
      ['pending', null],
      ['running', 5_000],
      ['stopped', null],
    ] as const;
    for (const [step, [status, startedAt]] of steps.entries()) {
      const whole = checkpoint(id, held?.epoch ?? 0, step + 1);
      const nodeRuns = whole.nodeRuns.map((row) => ({ ...row, status, startedAt, finishedAt: null }));
      const nodeIterations = nodeRuns.map((row) => ({ ...row, iteration: '0' }));
      await writeCheckpoints(db, [{ ...whole, nodeRuns, nodeIterations }]);
      const where = { executionId: id };
      const rows = [await db.nodeRun.findFirst({ where }), await db.nodeIteration.findFirst({ where })];
      starts.push(rows.map((row) => row?.startedAt?.getTime()));
    }
    expect(starts).toEqual([
      [1_000, 1_000],
      [undefined, undefined],
      [5_000, 5_000],
      [5_000, 5_000],
    ]);
  });

  it('of many runs judges each by itself', async () => {
    const [mine, stopped] = await Promise.all([seed.accept(), seed.accept()]);
    const held = await Promise.all([claim(mine), claim(stopped)]);
    await db.execution.update({
      where: { id: stopped },
      data: { status: 'stopped', epoch: { increment: 1 }, workerId: null, finishedAt: new Date() },
    });
    const verdicts = await writeCheckpoints(db, [
      checkpoint(stopped, held[1]?.epoch ?? 0, 1, { ending: success }),
      checkpoint(uuidv7(), 1, 1),
      checkpoint(mine, held[0]?.epoch ?? 0, 1, { ending: success }),
    ]);
    expect(verdicts).toEqual(['fenced', 'fenced', 'written']);
    expect(await statusOf(stopped)).toBe('stopped');
    expect(await loadNodeRuns(db, stopped)).toEqual([]);
  });
});
