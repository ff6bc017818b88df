import {
  type Checkpoint,
  claimExecutions,
  createDatabase,
  type Database,
  readUnclaimed,
  recoverRuns,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.ts';

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const HOUR_MS = 3_600_000;
/** Tolerance for slow machines, in ms. */
const SLACK_MS = 60_000;

const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
const resting = { kind: 'resting', status: 'running', wakeAt: null, answerCount: 0 } as const;

function checkpoint(
  executionId: string,
  claimed: { epoch: number; token: string },
  rest: Partial<Checkpoint>,
): Checkpoint {
  const { epoch, token } = claimed;
  const rows = { nodeRuns: [], nodeIterations: [], waits: [] };
  return {
    executionId,
    epoch,
    token,
    claim: null,
    checkpoint: 1,
    currentNodeId: null,
    loopPositions: null,
    ending: null,
    ...rows,
    ...rest,
  };
}

async function claim(id: string) {
  const [workerId, token] = [uuidv7(), uuidv7()];
  const { dispatchSeq: dispatch } = await read(id);
  const [claimed] = await claimExecutions(db, [{ executionId: id, dispatch, token }], workerId);
  if (!claimed) throw new Error('the run cannot be claimed');
  return { ...claimed, token, workerId };
}

/** Makes the run look as if the worker had held it for this part of its time limit, in ms. */
async function passTime(id: string, ms: number): Promise<void> {
  const { heldUntil } = await read(id);
  await db.execution.update({ where: { id }, data: { heldUntil: new Date((heldUntil?.getTime() ?? 0) - ms) } });
}

function expectNear(actual: number, wanted: number): void {
  expect(actual).toBeLessThanOrEqual(wanted);
  expect(actual).toBeGreaterThan(wanted - SLACK_MS);
}

describe('a run without a time limit of its own', () => {
  it('has an hour of time held by workers, and no deadline', async () => {
    const id = await seed.accept();
    expect(await read(id)).toMatchObject({ timeLeftMs: BigInt(HOUR_MS), heldUntil: null });
    expect((await read(id)).deadlineAt.getUTCFullYear()).toBe(9999);
    const { timeLeftMs } = await claim(id);
    expect(timeLeftMs).toBe(HOUR_MS);
    expectNear(((await read(id)).heldUntil?.getTime() ?? 0) - Date.now(), HOUR_MS);
  });

  it('loses the time that a worker held it when it rests, and none while it rests', async () => {
    const id = await seed.accept();
    const claimed = await claim(id);
    await passTime(id, HOUR_MS / 2);
    expect(await writeCheckpoints(db, [checkpoint(id, claimed, { ending: resting })])).toEqual(['written']);
    const { timeLeftMs, heldUntil } = await read(id);
    expectNear(Number(timeLeftMs), HOUR_MS / 2);
    expect(heldUntil).toBeNull();
    await db.execution.update({ where: { id }, data: { dispatchSeq: { increment: 1 } } });
    expect((await claim(id)).timeLeftMs).toBe(Number(timeLeftMs));
  });

  it('loses it too when its worker dies, down to nothing', async () => {
    const id = await seed.accept();
    const { workerId } = await claim(id);
    await passTime(id, 2 * HOUR_MS);
    await recoverRuns(db, [{ id: workerId, blockingRun: null }], [id]);
    expect(await read(id)).toMatchObject({ timeLeftMs: 0n, heldUntil: null });
  });

  it('is limited from its beginning where its first checkpoint claims it', async () => {
    const id = await seed.accept();
    const [run] = await readUnclaimed(db, [{ executionId: id }]);
    const begun = { workerId: uuidv7(), digest: null, begunAt: performance.now() };
    const first = checkpoint(id, { epoch: run?.epoch ?? 0, token: uuidv7() }, { claim: begun });
    expect(await writeCheckpoints(db, [first])).toEqual(['written']);
    expectNear(((await read(id)).heldUntil?.getTime() ?? 0) - Date.now(), HOUR_MS);
  });
});

describe('a run with a time limit of its own', () => {
  it('has a deadline from its acceptance on', async () => {
    const limited = await seedWorkflow(db, { ...chain(), settings: { timeoutSeconds: 60 } });
    const id = await limited.accept();
    const { deadlineAt, createdAt, timeLeftMs } = await read(id);
    expect([deadlineAt.getTime() - createdAt.getTime(), timeLeftMs]).toEqual([60_000, null]);
    const claimed = await claim(id);
    expect([claimed.timeLeftMs, (await read(id)).heldUntil]).toEqual([null, null]);
  });
});
