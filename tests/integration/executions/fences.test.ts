import type { Checkpoint, Claim, Database } from '@deckhand/db';
import {
  claimExecutions,
  createDatabase,
  recoverRuns,
  dispatchAgain,
  foldStorageChanges,
  loadNodeRuns,
  computeRunDigest,
  pruneData,
  readExecutions,
  readUnclaimed,
  releaseExecutions,
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

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

async function claim(executionId: string, dispatch = 1, token: string = uuidv7()) {
  const workerId = uuidv7();
  const [claimed] = await claimExecutions(db, [{ executionId, dispatch, token }], workerId);
  return claimed && { ...claimed, token, workerId };
}

/** A claim that matches no run. */
const NO_CLAIM: Claim = { epoch: 0, token: uuidv7() };

function checkpoint(
  executionId: string,
  held: Claim | undefined,
  number: number,
  rest: Partial<Checkpoint> = {},
): Checkpoint {
  const { epoch, token } = held ?? NO_CLAIM;
  const now = Date.now();
  const row = nodeRow('a', { startedAt: now, finishedAt: now, output: `{"by":${epoch}}`, outputBytes: 8 });
  return {
    executionId,
    epoch,
    token,
    claim: null,
    checkpoint: number,
    currentNodeId: 'a',
    loopPositions: null,
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
  it('is granted once per dispatch', async () => {
    const id = await seed.accept();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(id)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await statusOf(id)).toBe('running');
  });

  it('may be repeated with its token when its response got lost, and with no other', async () => {
    const id = await seed.accept();
    const first = await claim(id);
    const again = await claim(id, 1, first?.token);
    expect([first?.epoch, again?.epoch]).toEqual([1, 2]);
    expect(await claim(id, 1)).toBeUndefined();
    if (again) await releaseExecutions(db, again.workerId, [{ executionId: id, ...again }]);
    expect(await claim(id, 1, first?.token)).toBeUndefined();
  });

  it('is refused for a job of an earlier dispatch', async () => {
    const id = await seed.accept();
    const first = await claim(id);
    await releaseExecutions(db, first?.workerId ?? '', [{ executionId: id, ...(first ?? NO_CLAIM) }]);
    expect(await claim(id, 1)).toBeUndefined();
    expect(await claim(id, 2)).toMatchObject({ epoch: 2 });
  });

  it('is refused for a late job once the run was dispatched again, though nobody claimed it', async () => {
    const id = await seed.accept();
    await dispatchAgain(db, [{ workspaceId: '', executionId: id, dispatch: 1 }]);
    expect(await claim(id, 1)).toBeUndefined();
    expect(await claim(id, 2)).toMatchObject({ epoch: 1 });
  });

  it('is refused once the run was stopped before anybody claimed it', async () => {
    const id = await seed.accept();
    await db.execution.update({ where: { id }, data: { status: 'stopped', finishedAt: new Date() } });
    expect(await claim(id)).toBeUndefined();
  });

  it('is not repeated once the run rests', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    const ending = { kind: 'resting', status: 'running', wakeAt: null, answerCount: 0 } as const;
    await writeCheckpoints(db, [checkpoint(id, held, 1, { ending })]);
    expect(await claim(id, 1, held?.token)).toBeUndefined();
  });

  it('is refused once the run is finished', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    await writeCheckpoints(db, [checkpoint(id, held, 1, { ending: success })]);
    expect(await claim(id)).toBeUndefined();
  });
});

describe('a first checkpoint', () => {
  const begin = async (id: string) => {
    const [run] = await readUnclaimed(db, [{ executionId: id }]);
    const claim = run && { ...run, workerId: uuidv7(), begunAt: performance.now() };
    const held = { epoch: run?.epoch ?? 0, token: uuidv7() };
    return { run, held, first: (rest: Partial<Checkpoint> = {}) => checkpoint(id, held, 1, { claim, ...rest }) };
  };

  it('claims the run for one of those that began it, whether it ends the run or not', async () => {
    for (const ending of [
      null,
      success,
      { kind: 'resting', status: 'running', wakeAt: null, answerCount: 0 } as const,
    ]) {
      const id = await seed.accept();
      const began = await Promise.all(Array.from({ length: 4 }, () => begin(id)));
      expect(began.map(({ run }) => [run?.isProvisional, run?.epoch])).toEqual(Array(4).fill([true, 1]));
      const verdicts = await Promise.all(began.map(({ first }) => writeCheckpoints(db, [first({ ending })])));
      const written = began.filter((_, index) => verdicts[index]?.[0] === 'written');
      expect(written).toHaveLength(1);
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
      const claim = { workerId: uuidv7(), begunAt: performance.now(), digest: computeRunDigest(begun) };
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

  it('is followed by others of the same claim', async () => {
    const id = await seed.accept();
    const { first, held } = await begin(id);
    await writeCheckpoints(db, [first()]);
    expect(await writeCheckpoints(db, [checkpoint(id, held, 2, { ending: success })])).toEqual(['written']);
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

describe('a worker whose run another worker claimed', () => {
  it('can write nothing any more, neither node runs nor an ending', async () => {
    const id = await seed.accept();
    const old = await claim(id);
    const {
      dispatched: [dispatched],
    } = await recoverRuns(db, [{ id: old?.workerId ?? '', blockingRun: null }], [id]);
    const next = await claim(id, dispatched?.dispatch);
    expect(next?.epoch).toBe(2);

    const late = [checkpoint(id, old, 1, { ending: success })];
    expect(await writeCheckpoints(db, late)).toEqual(['fenced']);
    expect(await loadNodeRuns(db, id)).toEqual([]);
    expect(await statusOf(id)).toBe('running');

    expect(await writeCheckpoints(db, [checkpoint(id, next, 1, { ending: success })])).toEqual(['written']);
    expect(await writeCheckpoints(db, late)).toEqual(['fenced']);
    expect((await loadNodeRuns(db, id)).map((row) => row.output)).toEqual(['{"by":2}']);
  });
});

describe('a checkpoint', () => {
  it('whose answer got lost is recognised when it is written again', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    const last = checkpoint(id, held, 1, { ending: success });
    expect(await writeCheckpoints(db, [last])).toEqual(['written']);
    const before = await db.execution.findUniqueOrThrow({ where: { id } });
    expect(await writeCheckpoints(db, [last])).toEqual(['written']);
    expect(await db.execution.findUniqueOrThrow({ where: { id } })).toEqual(before);
    expect(before.storedBytes).toBe(BigInt('{}'.length + 8));
  });

  it('is refused with the epoch of the claim and another token: a failover that loses commits repeats epochs', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    const other = { epoch: held?.epoch ?? 0, token: uuidv7() };
    expect(await writeCheckpoints(db, [checkpoint(id, other, 1, { ending: success })])).toEqual(['fenced']);
    await releaseExecutions(db, held?.workerId ?? '', [{ executionId: id, ...other }]);
    expect(await db.execution.findUniqueOrThrow({ where: { id } })).toMatchObject({ workerId: held?.workerId });
    expect(await loadNodeRuns(db, id)).toEqual([]);
  });

  it('is refused with the token of the claim and another epoch: earlier versions claim without a token', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    await db.execution.update({ where: { id }, data: { epoch: { increment: 1 }, checkpointSeq: 0 } });
    expect(await writeCheckpoints(db, [checkpoint(id, held, 1, { ending: success })])).toEqual(['fenced']);
  });

  it('is refused when the one before it is missing', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    expect(await writeCheckpoints(db, [checkpoint(id, held, 2)])).toEqual(['fenced']);
    expect(await writeCheckpoints(db, [checkpoint(id, held, 1)])).toEqual(['written']);
    expect(await writeCheckpoints(db, [checkpoint(id, held, 3)])).toEqual(['fenced']);
    expect(await writeCheckpoints(db, [checkpoint(id, held, 2)])).toEqual(['written']);
  });

  it('of a finished node counts as progress, and no other does', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    const lossesAfter = async (number: number, status: 'running' | 'success') => {
      await db.execution.update({ where: { id }, data: { losses: 2 } });
      const whole = checkpoint(id, held, number);
      const nodeRuns = whole.nodeRuns.map((row) => ({ ...row, status }));
      expect(await writeCheckpoints(db, [{ ...whole, nodeRuns }])).toEqual(['written']);
      return (await db.execution.findUniqueOrThrow({ where: { id } })).losses;
    };
    expect([await lossesAfter(1, 'running'), await lossesAfter(2, 'success')]).toEqual([2, 0]);
  });

  it('of a paused run keeps its node runs and not its ending', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    await db.execution.update({ where: { id }, data: { status: 'paused' } });
    expect(await writeCheckpoints(db, [checkpoint(id, held, 1, { ending: success })])).toEqual(['paused']);
    expect(await statusOf(id)).toBe('paused');
    expect(await loadNodeRuns(db, id)).toHaveLength(1);
  });

  it('takes the start from a node that a pause kept from its first attempt, and from no other', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    const starts: (number | undefined)[][] = [];
    const [first, second] = [Date.now() + 1_000, Date.now() + 5_000];
    const steps = [
      ['running', first],
      ['pending', null],
      ['running', second],
      ['stopped', null],
    ] as const;
    for (const [step, [status, startedAt]] of steps.entries()) {
      const whole = checkpoint(id, held, step + 1);
      const nodeRuns = whole.nodeRuns.map((row) => ({ ...row, status, startedAt, finishedAt: null }));
      const nodeIterations = nodeRuns.map((row) => ({ ...row, iteration: '0' }));
      await writeCheckpoints(db, [{ ...whole, nodeRuns, nodeIterations }]);
      const where = { executionId: id };
      const rows = [await db.nodeRun.findFirst({ where }), await db.nodeIteration.findFirst({ where })];
      starts.push(rows.map((row) => row?.startedAt?.getTime()));
    }
    expect(starts).toEqual([
      [first, first],
      [undefined, undefined],
      [second, second],
      [second, second],
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
      checkpoint(stopped, held[1], 1, { ending: success }),
      checkpoint(uuidv7(), undefined, 1),
      checkpoint(mine, held[0], 1, { ending: success }),
    ]);
    expect(verdicts).toEqual(['fenced', 'fenced', 'written']);
    expect(await statusOf(stopped)).toBe('stopped');
    expect(await loadNodeRuns(db, stopped)).toEqual([]);
  });
});

describe('the verdict on a checkpoint that is written again', () => {
  const resting = (answers: number) =>
    ({ kind: 'resting', status: 'running', wakeAt: null, answerCount: answers }) as const;

  /** Writes a checkpoint, changes the run, and writes the checkpoint again. */
  async function repeat(ending: Checkpoint['ending'], change: (id: string) => Promise<unknown>) {
    const id = await seed.accept();
    const held = await claim(id);
    const whole = checkpoint(id, held, 1, { ending });
    const [first] = await writeCheckpoints(db, [whole]);
    await change(id);
    const before = await db.execution.findUniqueOrThrow({ where: { id } });
    const [again] = await writeCheckpoints(db, [whole]);
    expect(await db.execution.findUniqueOrThrow({ where: { id } })).toEqual(before);
    return [first, again];
  }
  const setTo = (data: Parameters<Database['execution']['update']>[0]['data']) => (id: string) =>
    db.execution.update({ where: { id }, data });

  it('says that the run was paused in between, so that no effect begins', async () => {
    expect(await repeat(null, setTo({ status: 'paused' }))).toEqual(['written', 'paused']);
  });

  it('says that the run was stopped in between', async () => {
    const stop = setTo({ status: 'stopped', epoch: { increment: 1 }, workerId: null, finishedAt: new Date() });
    expect(await repeat(null, stop)).toEqual(['written', 'fenced']);
  });

  it('says that the run was claimed by another in between', async () => {
    const claimAgain = async (id: string) => {
      const { workerId } = await db.execution.findUniqueOrThrow({ where: { id } });
      const {
        dispatched: [next],
      } = await recoverRuns(db, [{ id: workerId ?? '', blockingRun: null }], [id]);
      await claim(id, next?.dispatch);
    };
    expect(await repeat(null, claimAgain)).toEqual(['written', 'fenced']);
  });

  it('says that the run rests, and that it ended', async () => {
    const nothing = () => Promise.resolve();
    expect(await repeat(resting(0), nothing)).toEqual(['written', 'written']);
    expect(await repeat(success, nothing)).toEqual(['written', 'written']);
  });

  it('says that a run which rests was answered and sent out again: nothing is left to do', async () => {
    const answer = setTo({ answerCount: { increment: 1 }, dispatchSeq: { increment: 1 } });
    expect(await repeat(resting(0), answer)).toEqual(['written', 'written']);
  });

  it('says that the run does not rest, since an answer came before it was written at first', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    await db.execution.update({ where: { id }, data: { answerCount: 1 } });
    const whole = checkpoint(id, held, 1, { ending: resting(0) });
    expect(await writeCheckpoints(db, [whole])).toEqual(['answered']);
    expect(await writeCheckpoints(db, [whole])).toEqual(['answered']);
    expect(await db.execution.findUniqueOrThrow({ where: { id } })).toMatchObject({ workerId: held?.workerId });
  });

  it('says that the run did not end, since a pause that is over prevented it', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    await db.execution.update({ where: { id }, data: { status: 'paused' } });
    const whole = checkpoint(id, held, 1, { ending: success });
    expect(await writeCheckpoints(db, [whole])).toEqual(['paused']);
    await db.execution.update({ where: { id }, data: { status: 'running' } });
    expect(await writeCheckpoints(db, [whole])).toEqual(['answered']);
    expect(await statusOf(id)).toBe('running');
  });
});

describe('bytes', () => {
  it('are counted beyond what an int4 holds: of an output, a run and a workspace, and given back', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    const stored = async () => {
      await foldStorageChanges(db, 1_000);
      return (await db.workspace.findUniqueOrThrow({ where: { id: seed.workspaceId } })).storedBytes;
    };
    const before = await stored();
    for (const number of [1, 2]) {
      const written = checkpoint(id, held, number);
      const nodeRuns = written.nodeRuns.map((row) => ({ ...row, outputBytes: 3_000_000_000 }));
      const nodeIterations = nodeRuns.map((row) => ({ ...row, iteration: String(number) }));
      const ending = number === 2 ? success : null;
      expect(await writeCheckpoints(db, [{ ...written, nodeRuns, nodeIterations, ending }])).toEqual(['written']);
    }
    const where = { executionId: id };
    const counts = [
      (await db.execution.findUniqueOrThrow({ where: { id } })).storedBytes - 2n,
      (await stored()) - before,
      ...(await db.nodeRun.findMany({ where })).map(({ outputBytes }) => outputBytes),
      ...(await db.nodeIteration.findMany({ where })).map(({ outputBytes }) => outputBytes),
    ];
    expect(counts).toEqual([12_000_000_000n, 12_000_000_000n, 3_000_000_000n, 3_000_000_000n, 3_000_000_000n]);
    const actor = { userId: seed.userId, boundTo: null };
    const [run] = await readExecutions(db, [{ executionId: id, actor, isSlim: true }]);
    expect(run?.progressJson).toContain('"outputBytes":3000000000,');
    await db.execution.update({ where: { id }, data: { finishedAt: new Date(0) } });
    expect(await pruneData(db, [id])).toBe(1);
    expect(await stored()).toBe(before - 2n);
  });
});
