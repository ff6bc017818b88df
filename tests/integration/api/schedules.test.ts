import { findDueSchedules, moveSchedules } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addPerson,
  createWorkflow,
  type Instance,
  scheduleDefinition,
  startInstance,
  stopAll,
  UNCOUNTED,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const YEARLY = { cron: '0 9 1 1 *' };

async function createScheduled(parameters = YEARLY): Promise<string> {
  const id = await createWorkflow(instance, scheduleDefinition(parameters));
  await change(id, { status: 'active' });
  return id;
}

async function change(id: string, body: object): Promise<void> {
  const { status, text } = await instance.gateway.call('PATCH', `/api/workflows/${id}`, { as: instance.session, body });
  if (status !== 200) throw new Error(text);
}

function act(id: string, verb: 'pause' | 'resume', as = instance.session, nodeId = 'clock') {
  return instance.gateway.call('POST', `/api/workflows/${id}/schedules/${nodeId}/${verb}`, { as });
}

async function list(query = '') {
  const { status, body } = await instance.gateway.call(
    'GET',
    `/api/schedules?workspaceId=${instance.workspaceId}${query}`,
    { as: instance.session },
  );
  expect(status).toBe(200);
  return body;
}

const isTime = expect.stringMatching(/^\d{4}-01-01T09:00:00\.000Z$/);

describe('the schedules of a workspace', () => {
  it('are listed with their next time, filtered by workflow and by whether they are paused', async () => {
    const id = await createScheduled();
    const other = await createScheduled({ cron: '0 9 2 1 *' });
    const entry = { workflowId: id, workflowName: 'Test', nodeId: 'clock', cron: YEARLY.cron, timezone: 'UTC' };
    const { data } = await list(`&workflowId=${id}`);
    expect(data).toEqual([
      expect.objectContaining({ ...entry, nextFireAt: isTime, pausedAt: null, pausedBy: null, pausedByUser: null }),
    ]);
    await act(id, 'pause');
    const idsOf = async (query: string) => (await list(query)).data.map((each: typeof entry) => each.workflowId);
    expect(await idsOf('&paused=true')).toEqual([id]);
    expect(await idsOf('&paused=false')).toContain(other);
    expect(await idsOf('&paused=false')).not.toContain(id);
    expect((await list('&limit=1&includeTotal=true')).total).toBeGreaterThan(1);
  });
});

describe('a paused schedule', () => {
  it('has no next time, and says since when and by whom it is paused', async () => {
    const id = await createScheduled();
    const { status, body } = await act(id, 'pause');
    expect([status, body.nextFireAt]).toEqual([200, null]);
    const [entry] = (await list(`&workflowId=${id}`)).data;
    expect(entry).toMatchObject({ pausedAt: body.pausedAt, pausedByUser: { id: entry!.pausedBy, name: 'Ada' } });
    const workflow = await instance.gateway.call('GET', `/api/workflows/${id}`, { as: instance.session });
    expect(workflow.body).toMatchObject({
      status: 'active',
      schedules: [{ nextFireAt: null, pausedAt: body.pausedAt }],
    });
    // Again: nothing changes.
    expect((await act(id, 'pause')).body.pausedAt).toBe(body.pausedAt);
  });

  it('fires nothing that was found to be due before', async () => {
    const id = await createScheduled();
    const { db } = instance;
    const due = new Date(Date.now() - 1_000);
    await db.schedule.updateMany({ where: { workflowId: id }, data: { nextFireAt: due, nextCheckAt: due } });
    const schedule = (await findDueSchedules(db, new Date(), 100)).find(({ workflowId }) => workflowId === id);
    if (!schedule) throw new Error('the schedule is not due');
    await act(id, 'pause');
    const request = {
      executionId: uuidv7(),
      workflowId: id,
      actor: null,
      versionId: schedule.workflowVersionId,
      triggerNodeId: 'clock',
      mode: 'normal',
      source: 'schedule',
      triggerData: '{}',
    } as const;
    const move = { schedule, nextFireAt: new Date(Date.now() + 60_000), fireAt: due, request };
    await moveSchedules(db, [move], UNCOUNTED);
    expect(await db.execution.count({ where: { workflowId: id } })).toBe(0);
    expect(await findDueSchedules(db, new Date(), 100)).not.toContainEqual(expect.objectContaining({ workflowId: id }));
  });

  it('stays paused when the workflow is activated again, or with another version', async () => {
    const id = await createScheduled();
    await act(id, 'pause');
    await change(id, { status: 'inactive' });
    await change(id, { status: 'active' });
    const path = `/api/workflows/${id}/versions` as const;
    const body = { definition: scheduleDefinition({ cron: '0 10 1 1 *' }) };
    const saved = await instance.gateway.call('POST', path, { as: instance.session, body });
    await change(id, { activeVersionId: saved.body.workflowVersionId });
    const [entry] = (await list(`&workflowId=${id}`)).data;
    expect(entry).toMatchObject({ cron: '0 10 1 1 *', nextFireAt: null, pausedAt: expect.any(String) });
  });

  it('is due from now on once it is resumed', async () => {
    const id = await createScheduled();
    await act(id, 'pause');
    const { status, body } = await act(id, 'resume');
    expect([status, body]).toEqual([200, expect.objectContaining({ nextFireAt: isTime, pausedAt: null })]);
    expect(new Date(body.nextFireAt!).getTime()).toBeGreaterThan(Date.now());
    await act(id, 'pause');
    await change(id, { status: 'inactive' });
    expect((await act(id, 'resume')).body).toMatchObject({ nextFireAt: null, pausedAt: null });
  });

  it('is in the audit log', async () => {
    const id = await createScheduled();
    await act(id, 'pause', instance.key);
    await act(id, 'resume');
    const path = `/api/audit-log?workspaceId=${instance.workspaceId}&resourceType=schedule&resourceId=${id}` as const;
    const { body } = await instance.gateway.call('GET', path, { as: instance.session });
    const entries: { action: string; details: object }[] = body.data;
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['schedule.resume', { nodeId: 'clock' }],
      ['schedule.pause', { nodeId: 'clock' }],
    ]);
  });

  it('403 for a viewer, 404 for a node that is not a schedule of the active version', async () => {
    const id = await createScheduled();
    const viewer = await addPerson(instance, 'viewer');
    expect((await act(id, 'pause', viewer.session)).status).toBe(403);
    expect((await act(id, 'pause', instance.session, 'note')).status).toBe(404);
    expect((await act(await createWorkflow(instance), 'resume')).status).toBe(404);
  });
});

describe('the next times of a cron expression', () => {
  const times = (query: Record<string, string>) =>
    instance.gateway.call('GET', `/api/schedules/times?${new URLSearchParams(query).toString()}`, {
      as: instance.session,
    });

  it('are those at which a schedule of it would start runs, in its time zone', async () => {
    const { status, body } = await times({ cron: '0 9 1 1 *' });
    const [first = ''] = body.times;
    expect([status, Date.parse(first) > Date.now()]).toEqual([200, true]);
    const years = Array.from({ length: 5 }, (_, index) => Number(first.slice(0, 4)) + index);
    expect(body.times).toEqual(years.map((year) => `${year}-01-01T09:00:00.000Z`));
    const { body: inTokyo } = await times({ cron: '0 9 1 1 *', timezone: 'Asia/Tokyo' });
    expect(inTokyo.times[1]).toMatch(/-01-01T00:00:00\.000Z$/);
  });

  it.each([
    [{ cron: '0 9 31 2 *' }, 'cron'],
    [{ cron: '99 9 * * *' }, 'cron'],
    [{ cron: '0 9 * * *', timezone: 'Mars/Olympus' }, 'timezone'],
  ])('are refused for %j', async (query, path) => {
    const { status, body } = await times(query);
    expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'VALIDATION_FAILED', path]);
  });
});
