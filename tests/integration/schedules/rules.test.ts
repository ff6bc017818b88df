import type { Firing } from '@deckhand/worker';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Call,
  createWorkflow,
  type Instance,
  scheduleDefinition,
  startFiring,
  startInstance,
  stopAll,
  type TestClock,
} from '../../harness/index.ts';

let instance: Instance;
let firing: Firing;
/** Set only while a test fires: an alarm of an earlier firing may ring at any time, and finds nothing due then. */
const clock: TestClock = { now: 0 };

beforeAll(async () => {
  instance = await startInstance();
  firing = await startFiring(instance, { clock, isLeased: false });
});
afterEach(() => instance.db.workflow.updateMany({ data: { status: 'inactive' } }));
afterEach(() => instance.db.schedule.deleteMany());
afterAll(stopAll);

const call: Call<[body?: object]> = (method, path, body) =>
  instance.gateway.call(method, path, { as: instance.session, body });
const read = async (id: string) => (await call('GET', `/api/workflows/${id}`)).body;
const change = async (id: string, body: object) => {
  const answer = await call('PATCH', `/api/workflows/${id}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};
const save = async (id: string, parameters: Parameters<typeof scheduleDefinition>[0]): Promise<string> => {
  const answer = await call('POST', `/api/workflows/${id}/versions`, { definition: scheduleDefinition(parameters) });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.workflowVersionId;
};
const runsOf = (workflowId: string) =>
  instance.db.execution.findMany({ where: { workflowId }, orderBy: { id: 'asc' } });
const fireAt = async (time: number | string): Promise<void> => {
  clock.now = new Date(time).getTime();
  await firing.fire();
  clock.now = 0;
};
const DAILY = { cron: '0 9 * * *', timezone: 'Europe/Berlin' };

describe('a schedule', () => {
  it('is shown with the workflow, and has a time only while that is active', async () => {
    const id = await createWorkflow(instance, scheduleDefinition(DAILY));
    const idle = {
      nodeId: 'clock',
      ...DAILY,
      catchUp: false,
      nextFireAt: null,
      lastFireAt: null,
      lastExecutionId: null,
      blockedBy: null,
      pausedAt: null,
    };
    expect((await read(id)).schedules).toEqual([idle]);
    const { schedules } = await change(id, { status: 'active' });
    const nextFireAt = schedules[0]!.nextFireAt!;
    expect(schedules).toEqual([{ ...idle, nextFireAt }]);
    expect(new Date(nextFireAt).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })).toBe('09:00:00');
    expect(Date.parse(nextFireAt)).toBeGreaterThan(Date.now());
    expect(Date.parse(nextFireAt)).toBeLessThanOrEqual(Date.now() + 25 * 3_600_000);

    await fireAt(nextFireAt);
    const [run] = await runsOf(id);
    const [fired] = (await read(id)).schedules;
    expect(fired).toMatchObject({ lastFireAt: nextFireAt, lastExecutionId: run?.id });
    expect(Date.parse(fired!.nextFireAt!)).toBeGreaterThan(Date.parse(nextFireAt));
    const answer = await call('GET', `/api/executions/${run?.id}`);
    expect(answer.body).toMatchObject({
      source: 'schedule',
      status: 'pending',
      executionMode: 'normal',
      data: {
        triggerNodeId: 'clock',
        trigger: { scheduledFor: nextFireAt, timezone: 'Europe/Berlin', nodeId: 'clock', isCatchUp: false },
      },
    });

    const after = await change(id, { status: 'inactive' });
    expect(after.schedules).toEqual([{ ...idle, lastFireAt: nextFireAt, lastExecutionId: run?.id }]);
    await fireAt(fired!.nextFireAt!);
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('runs the active version though another was saved since', async () => {
    const id = await createWorkflow(instance, scheduleDefinition(DAILY));
    const { activeVersionId, schedules } = await change(id, { status: 'active' });
    await save(id, { cron: '0 10 * * *' });
    expect((await read(id)).schedules).toEqual(schedules);
    await fireAt(schedules[0]!.nextFireAt!);
    expect(await runsOf(id)).toMatchObject([{ workflowVersionId: activeVersionId }]);
  });

  it('uses the new times as soon as another version is active', async () => {
    const id = await createWorkflow(instance, scheduleDefinition(DAILY));
    const [before] = (await change(id, { status: 'active' })).schedules;
    await change(id, { activeVersionId: await save(id, { cron: '0 0 29 2 *' }) });
    await fireAt(before!.nextFireAt!);
    expect(await runsOf(id)).toEqual([]);
    const activeVersionId = await save(id, { cron: '*/5 * * * *' });
    const [after] = (await change(id, { activeVersionId })).schedules;
    expect(after).toMatchObject({ cron: '*/5 * * * *', timezone: 'UTC' });
    expect(Date.parse(after!.nextFireAt!) % 300_000).toBe(0);
    expect(Date.parse(after!.nextFireAt!)).toBeLessThanOrEqual(Date.now() + 300_000);
    await fireAt(after!.nextFireAt!);
    expect(await runsOf(id)).toMatchObject([{ workflowVersionId: activeVersionId }]);
  });

  it('keeps a time that is due when a version with the same times becomes the active one', async () => {
    const id = await createWorkflow(instance, scheduleDefinition(DAILY));
    const before = await change(id, { status: 'active' });
    const activeVersionId = await save(id, { ...DAILY, catchUp: true });
    const dueAt = new Date(Date.now() - 30_000);
    await instance.db.schedule.updateMany({
      where: { workflowId: id },
      data: { nextFireAt: dueAt, nextCheckAt: dueAt },
    });
    const after = await change(id, { activeVersionId });
    expect(after.schedules).toEqual([{ ...before.schedules[0], catchUp: true, nextFireAt: dueAt.toISOString() }]);
    await fireAt(Date.now());
    expect(await runsOf(id)).toMatchObject([{ workflowVersionId: activeVersionId }]);
  });

  it('disappears with its node, and while the node is disabled', async () => {
    const id = await createWorkflow(instance, scheduleDefinition(DAILY));
    await change(id, { status: 'active' });
    const definition = scheduleDefinition(DAILY);
    const nodes = definition.nodes.map((node) => (node.id === 'clock' ? { ...node, disabled: true } : node));
    for (const changed of [
      { ...definition, nodes },
      { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] },
    ]) {
      await call('POST', `/api/workflows/${id}/versions`, { definition: changed });
      expect((await change(id, { status: 'active' })).schedules).toEqual([]);
    }
    expect(await instance.db.schedule.count({ where: { workflowId: id } })).toBe(0);
  });
});

describe('saving', () => {
  it.each([
    ['cron', { cron: '0 25 * * *' }],
    ['cron', { cron: 'every day' }],
    ['cron', { cron: '0 0 31 2 *' }],
    ['timezone', { cron: '0 9 * * *', timezone: 'Europe/Atlantis' }],
    ['catchUp', { cron: '0 9 * * *', catchUp: 'yes' }],
  ])('refuses a wrong %s and names it', async (name, parameters) => {
    const definition = scheduleDefinition(parameters);
    const before = await instance.db.workflow.count();
    const { status, body } = await call('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Wrong',
      definition,
    });
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body.details).toEqual([
      { path: `definition.nodes[0].parameters.${name}`, nodeId: 'clock', message: expect.any(String) },
    ]);
    expect(await instance.db.workflow.count()).toBe(before);
  });
});

describe('times that nobody was there to fire', () => {
  const hourly = async (parameters: object) => {
    const id = await createWorkflow(instance, scheduleDefinition({ cron: '0 * * * *', ...parameters }));
    const { schedules } = await change(id, { status: 'active' });
    return { id, first: Date.parse(schedules[0]!.nextFireAt!) };
  };
  const HOUR = 3_600_000;

  it('are left out, and the next is fired', async () => {
    const { id, first } = await hourly({});
    await fireAt(first + 5 * HOUR + 600_000);
    expect(await runsOf(id)).toEqual([]);
    expect((await read(id)).schedules[0]!.nextFireAt).toBe(new Date(first + 6 * HOUR).toISOString());
    await fireAt(first + 6 * HOUR);
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('lead to one run, for the last of them, when the trigger is to catch up', async () => {
    const { id, first } = await hourly({ catchUp: true });
    await fireAt(first + 5 * HOUR + 600_000);
    await fireAt(first + 5 * HOUR + 600_000);
    const runs = await runsOf(id);
    expect(runs.map(({ triggerData }) => JSON.parse(triggerData ?? ''))).toEqual([
      { scheduledFor: new Date(first + 5 * HOUR).toISOString(), timezone: 'UTC', nodeId: 'clock', isCatchUp: true },
    ]);
    expect((await read(id)).schedules[0]).toMatchObject({
      lastFireAt: new Date(first + 5 * HOUR).toISOString(),
      nextFireAt: new Date(first + 6 * HOUR).toISOString(),
    });
  });

  it('are fired each when they are late by no more than a change of hands takes', async () => {
    const { id, first } = await hourly({ cron: '*/10 * * * * *' });
    await fireAt(first + 35_000);
    const late = (await runsOf(id)).map(
      ({ triggerData }) => Date.parse(JSON.parse(triggerData ?? '').scheduledFor) - first,
    );
    expect(late.sort((a, b) => a - b)).toEqual([0, 10_000, 20_000, 30_000]);
  });
});

describe('schedules', () => {
  it('wait while as many runs of theirs as they allow are unfinished', async () => {
    const definition = scheduleDefinition({ cron: '* * * * *', maxOverlap: 2 });
    const id = await createWorkflow(instance, definition);
    const due = Date.parse((await change(id, { status: 'active' })).schedules[0]!.nextFireAt!);
    // Runs with other triggers do not count.
    await call('POST', `/api/workflows/${id}/execute`);
    await fireAt(due);
    await fireAt(due + 60_000);
    await fireAt(due + 120_000);
    expect(await runsOf(id)).toHaveLength(3);
    expect((await read(id)).schedules[0]).toMatchObject({
      blockedBy: 'SCHEDULE_OVERLAP',
      nextFireAt: new Date(due + 120_000).toISOString(),
    });
    const [first] = await instance.db.execution.findMany({ where: { workflowId: id, source: 'schedule' } });
    await call('POST', `/api/executions/${first?.id}/stop`);
    await fireAt(due + 124_000);
    expect(await runsOf(id)).toHaveLength(3);
    await fireAt(due + 125_000);
    expect(await runsOf(id)).toHaveLength(4);
    expect((await read(id)).schedules[0]).toMatchObject({
      blockedBy: null,
      lastFireAt: new Date(due + 120_000).toISOString(),
    });
  });

  it('with a key that others have locked wait a second, lose no time, and delay no other', async () => {
    const ids: string[] = [];
    let due = 0;
    for (let n = 0; n < 2; n += 1) {
      const options = { concurrency: { key: 'a', limit: 5 } };
      const id = await createWorkflow(instance, scheduleDefinition({ cron: '0 * * * *', options }));
      due = Date.parse((await change(id, { status: 'active' })).schedules[0]!.nextFireAt!);
      ids.push(id);
    }
    const started = async () => (await Promise.all(ids.map(runsOf))).map(({ length }) => length);
    const [locked = ''] = ids;
    await instance.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`key of ${locked} a`}, 0))::text`;
      await fireAt(due);
      expect(await started()).toEqual([0, 1]);
    });
    expect((await read(locked)).schedules[0]).toMatchObject({
      blockedBy: 'SERVICE_UNAVAILABLE',
      nextFireAt: new Date(due).toISOString(),
    });
    for (const ms of [1_000, 2_000]) {
      await fireAt(due + ms);
      expect(await started()).toEqual([1, 1]);
    }
    expect((await read(locked)).schedules[0]).toMatchObject({
      blockedBy: null,
      lastFireAt: new Date(due).toISOString(),
    });
  });

  it('400: allow one run at least', async () => {
    const definition = scheduleDefinition({ cron: '* * * * *', maxOverlap: 0 });
    const answer = await call('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'None',
      definition,
    });
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, 'definition.nodes[0].parameters.maxOverlap']);
  });
});

describe('limits of the workspace', () => {
  const limit = (limits: object) =>
    call('PUT', `/api/admin/workspaces/${instance.workspaceId}/limits`, {
      executionsPerMinute: null,
      storageQuotaBytes: null,
      ...limits,
    });
  const forget = async (): Promise<void> => {
    const { redis } = instance.gateway.services.monitoring;
    const keys = await redis.keys('{deckhand}:execution-rate:*');
    if (keys.length > 0) await redis.del(...keys);
  };
  afterEach(() => limit({}));

  it('delay a run over the limit of runs a minute, and lose none', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.push(await createWorkflow(instance, scheduleDefinition({ cron: '0 * * * *' })));
    let due = 0;
    for (const id of ids) due = Date.parse((await change(id, { status: 'active' })).schedules[0]!.nextFireAt!);
    await limit({ executionsPerMinute: 2 });
    await forget();
    await fireAt(due);
    const started = async () => (await Promise.all(ids.map(runsOf))).flat().length;
    expect(await started()).toBe(2);
    const held = (await Promise.all(ids.map(read)))
      .flatMap(({ schedules }) => schedules)
      .filter(({ blockedBy }) => blockedBy);
    expect(held).toMatchObject([{ blockedBy: 'workspace_rate_limited', nextFireAt: new Date(due).toISOString() }]);
    // Runs of schedules and of the API are counted together.
    expect(await call('POST', `/api/workflows/${ids[0]}/execute`)).toMatchObject({ status: 429 });

    await forget();
    await fireAt(due + 61_000);
    expect(await started()).toBe(3);
    const after = (await Promise.all(ids.map(read))).flatMap(({ schedules }) => schedules);
    expect(after.map(({ blockedBy, nextFireAt }) => [blockedBy, Date.parse(nextFireAt!) - due])).toEqual(
      ids.map(() => [null, 3_600_000]),
    );
  });

  it('hold a run back while the workspace is over its quota', async () => {
    const id = await createWorkflow(instance, scheduleDefinition({ cron: '0 * * * *' }));
    const due = Date.parse((await change(id, { status: 'active' })).schedules[0]!.nextFireAt!);
    await instance.db.workspace.updateMany({ data: { storedBytes: 10 } });
    await limit({ storageQuotaBytes: 1 });
    await fireAt(due);
    expect((await read(id)).schedules[0]!.blockedBy).toBe('workspace_over_quota');
    expect(await runsOf(id)).toEqual([]);
    await limit({});
    await fireAt(due + 59_000);
    expect(await runsOf(id)).toEqual([]);
    await fireAt(due + 60_000);
    expect(await runsOf(id)).toHaveLength(1);
  });
});
