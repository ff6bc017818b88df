import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  startRuns,
  claimExecutions,
  type Database,
  findDueRuns,
  findOverdueRuns,
  readUnclaimed,
  timeOutRuns,
  wakeDueRuns,
} from '@deckhand/db';
import { v7 as uuidv7 } from 'uuid';
import {
  type Call,
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  UNCOUNTED,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let db: Database;
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ db } = instance);
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const call: Call<[body?: object]> = (method, path, body) =>
  instance.gateway.call(method, path, { as: instance.key, body });
const execute = (body: object) => call('POST', `/api/workflows/${workflowId}/execute`, body);
const readRun = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const readRow = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
const page = { limit: 100, except: [] };
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
/** Moves the times of a run into the past. */
const letPass = (id: string) => db.$executeRaw`
  UPDATE executions SET start_at = now() - interval '1 s', wake_at = CASE WHEN wake_at IS NOT NULL THEN now() - interval '1 s' END,
    expires_at = CASE WHEN expires_at IS NOT NULL THEN now() - interval '1 ms' END WHERE id = ${id}::uuid`;

async function start(body: object): Promise<string> {
  const { status, body: answer, text } = await execute(body);
  if (status !== 202) throw new Error(text);
  return answer.executionId;
}

/** Tries to claim a run by a job of the given dispatch, in both ways. */
async function isClaimable(executionId: string, dispatch: number): Promise<boolean> {
  const request = { executionId, dispatch, token: uuidv7() };
  if (dispatch === 1 && (await readUnclaimed(db, [request])).length > 0) return true;
  return (await claimExecutions(db, [request], uuidv7())).length > 0;
}

describe('a delayed run', () => {
  it('rests as pending without a job, cannot be claimed before its time, and is dispatched then', async () => {
    const startAt = inSeconds(3_600);
    const id = await start({ startAt, timeoutSeconds: 60 });
    expect(await readRun(id)).toMatchObject({ status: 'pending', startAt, startedAt: null });
    const { deadlineAt } = await readRow(id);
    expect(deadlineAt.getTime()).toBe(Date.parse(startAt) + 60_000);
    expect(await isClaimable(id, 1)).toBe(false);
    expect(await findDueRuns(db, page)).not.toContain(id);
    expect(await wakeDueRuns(db, [id])).toEqual([]);

    await letPass(id);
    expect(await findDueRuns(db, page)).toContain(id);
    // Twice at once, as two workers may that both have the lease for a moment.
    const woken = await Promise.all([wakeDueRuns(db, [id]), wakeDueRuns(db, [id])]);
    expect(woken.flat()).toEqual([{ workspaceId: instance.workspaceId, executionId: id, dispatch: 2, priority: null }]);
    expect(await isClaimable(id, 1)).toBe(false);
    expect(await isClaimable(id, 2)).toBe(true);
  });

  it('is accepted once although the response to its statement is lost, and its job then does nothing', async () => {
    const request = {
      executionId: uuidv7(),
      workflowId,
      actor: null,
      versionId: undefined,
      triggerNodeId: null,
      mode: 'normal',
      source: 'api',
      triggerData: '{}',
      options: JSON.stringify({ delay: 3_600 }),
    } as const;
    await db.workflow.update({ where: { id: workflowId }, data: { status: 'active' } });
    const [first] = await startRuns(db, [request], UNCOUNTED);
    expect(first).toMatchObject({ kind: 'accepted', run: { isDelayed: true } });
    await startRuns(db, [request], UNCOUNTED);
    expect(await isClaimable(request.executionId, 1)).toBe(false);
    expect(await findDueRuns(db, page)).not.toContain(request.executionId);
  });

  it('can be stopped, and rests on if it is paused and resumed before its time', async () => {
    const id = await start({ delay: 3_600 });
    expect((await call('POST', `/api/executions/${id}/pause`)).status).toBe(200);
    expect((await call('POST', `/api/executions/${id}/resume`)).body).toMatchObject({ status: 'running' });
    expect(await isClaimable(id, 1)).toBe(false);
    expect(await isClaimable(id, 2)).toBe(false);
    await letPass(id);
    expect((await wakeDueRuns(db, [id])).map(({ dispatch }) => dispatch)).toEqual([2]);
    expect((await call('POST', `/api/executions/${id}/stop`)).status).toBe(200);
    expect(await isClaimable(id, 2)).toBe(false);
  });

  it('resumed after its time, starts at once', async () => {
    const id = await start({ delay: 3_600 });
    await call('POST', `/api/executions/${id}/pause`);
    await letPass(id);
    expect(await findDueRuns(db, page)).not.toContain(id);
    await call('POST', `/api/executions/${id}/resume`);
    expect(await isClaimable(id, 2)).toBe(true);
  });

  it('starts at once if its time has passed', async () => {
    const id = await start({ startAt: '2020-01-01' });
    expect(await readRun(id)).toMatchObject({ startAt: null });
    expect(await isClaimable(id, 1)).toBe(true);
  });
});

describe('a run that expires', () => {
  it('ends as timeout with the code EXPIRED, and no worker begins it from then on', async () => {
    const id = await start({ expiresAfter: 3_600 });
    expect(await findOverdueRuns(db, { ...page, graceMs: 0 })).not.toContain(id);
    expect(await timeOutRuns(db, [id], 0)).toEqual([]);
    await letPass(id);
    expect(await isClaimable(id, 1)).toBe(false);
    expect(await findOverdueRuns(db, { ...page, graceMs: 0 })).toContain(id);
    expect(await timeOutRuns(db, [id], 0)).toEqual([{ executionId: id, workerId: null }]);
    expect(await readRun(id)).toMatchObject({ status: 'timeout', error: { code: 'EXPIRED' }, startedAt: null });
  });

  it('does not expire once it has begun, however late', async () => {
    const id = await start({ expiresAfter: 3_600 });
    const { dispatchSeq: dispatch } = await readRow(id);
    await claimExecutions(db, [{ executionId: id, dispatch, token: uuidv7() }], uuidv7());
    await letPass(id);
    expect(await timeOutRuns(db, [id], 0)).toEqual([]);
    expect(await findOverdueRuns(db, { ...page, graceMs: 0 })).not.toContain(id);
  });

  it('counts from the time of its start', async () => {
    const startAt = inSeconds(100);
    const { expiresAt } = await readRow(await start({ startAt, expiresAfter: 50 }));
    expect(expiresAt?.getTime()).toBe(Date.parse(startAt) + 50_000);
  });

  it('at a date expires at the end of that day, which may be the day of its start', async () => {
    const day = inSeconds(86_400).slice(0, 10);
    const { expiresAt } = await readRow(await start({ startAt: day, expiresAt: day }));
    expect(expiresAt?.toISOString()).toBe(`${day}T23:59:59.999Z`);
  });

  it('is not begun from a snapshot, nor by a first checkpoint', async () => {
    const id = await start({ expiresAfter: 0.001 });
    const worker = await startTestWorker(instance);
    await until(async () => (await readRun(id)).status === 'timeout');
    expect(await readRun(id)).toMatchObject({ error: { code: 'EXPIRED' }, startedAt: null });
    await worker.stop();
  });
});

describe('delays with a worker', () => {
  it('start and finish the run after its time', async () => {
    const worker = await startTestWorker(instance);
    const { body } = await execute({ delay: 1.5 });
    await until(async () => (await readRun(body.executionId)).status === 'success');
    const { startedAt, startAt } = await readRun(body.executionId);
    expect(Date.parse(startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(startAt ?? ''));
    await worker.stop();
  });
});

describe('times', () => {
  it.each([
    ['delay', { delay: 1, startAt: '2026-01-01' }],
    ['delay', { delay: -1 }],
    ['startAt', { startAt: '2999-01-01' }],
    ['startAt', { startAt: 'soon' }],
    ['expiresAt', { startAt: inSeconds(60), expiresAt: inSeconds(30) }],
    ['expiresAfter', { expiresAfter: 1, expiresAt: inSeconds(30) }],
  ])('that are not valid are refused: %s %#', async (path, body) => {
    const { status, body: answer } = await execute(body);
    expect([status, answer.details?.[0]?.path]).toEqual([400, path]);
  });
});
