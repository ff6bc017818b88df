import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  callWithKey,
  chain,
  createKey,
  createWorkflow,
  type Instance,
  parseMetrics,
  startInstance,
  startTestWorker,
  stopAll,
  total,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let worker: Awaited<ReturnType<typeof startTestWorker>>;
const log: string[] = [];

beforeAll(async () => {
  instance = await startInstance();
  worker = await startTestWorker(instance, { onLog: (line) => log.push(line) });
});
afterAll(stopAll);

const call = callWithKey(() => instance);

/** Sends an event. @returns its id. */
async function send(name: string, given: object = {}): Promise<string> {
  const { status, body, text } = await call('POST', '/api/events', {
    workspaceId: instance.workspaceId,
    name,
    ...given,
  });
  if (status !== 202) throw new Error(text);
  return body.id;
}

/** Stores events in one statement, so that one pass finds all of them. @returns their ids. */
async function sendTogether(name: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await instance.db.event.createMany({
    data: ids.map((id, n) => {
      const { workspaceId } = instance;
      return { id, eventId: id, workspaceId, name, key: 'A', data: String(n) };
    }),
  });
  return ids;
}

/** Creates an active workflow that an event starts. */
async function startedBy(parameters: object): Promise<string> {
  const id = await createWorkflow(instance, {
    nodes: [
      { id: 'event', type: 'trigger.event', parameters },
      { id: 'end', type: 'terminal', parameters: { body: '{{ $trigger }}' } },
    ],
    edges: [{ source: 'event', target: 'end' }],
  });
  await call('PATCH', `/api/workflows/${id}`, { status: 'active' });
  return id;
}

const runsOf = (workflowId: string) =>
  instance.db.execution.findMany({ where: { workflowId }, orderBy: { id: 'asc' } });
const isMatched = async (eventId: string) =>
  (await instance.db.event.findFirstOrThrow({ where: { eventId } })).matchedAt !== null;
const matched = (eventId: string) => until(() => isMatched(eventId), 'that the event is matched');
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const ended = (id: string) => until(async () => (await read(id)).finishedAt !== null, 'the end of the run');

/** Returns the workspace's limit of runs per minute. */
const limit = (executionsPerMinute: number | null) =>
  instance.gateway.call('PUT', `/api/admin/workspaces/${instance.workspaceId}/limits`, {
    as: instance.session,
    body: { executionsPerMinute, storageQuotaBytes: null },
  });

describe('an event trigger', () => {
  it('starts a run for each event of its name that its filter lets through, with the event', async () => {
    const workflowId = await startedBy({ name: 'order.paid', filter: '{{ $trigger.data.amount > 100 }}' });
    await send('order.paid', { data: { amount: 50 } });
    await send('order.refunded', { data: { amount: 500 } });
    const id = await send('order.paid', { id: 'evt-1', key: 'A-1', data: { amount: 500 } });
    await matched(id);
    const [run, ...others] = await runsOf(workflowId);
    expect(others).toEqual([]);
    await ended(run?.id ?? '');
    expect(await read(run?.id ?? '')).toMatchObject({
      source: 'event',
      status: 'success',
      result: { body: { id: 'evt-1', name: 'order.paid', key: 'A-1', data: { amount: 500 } } },
    });
  });

  it('starts one run for events with the same id', async () => {
    const workflowId = await startedBy({ name: 'user.created' });
    const body = { workspaceId: instance.workspaceId, name: 'user.created', id: 'evt-2' };
    const [first, second] = [await call('POST', '/api/events', body), await call('POST', '/api/events', body)];
    expect([first.body.repeated, second.body.repeated]).toEqual([false, true]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const headers = { 'idempotency-key': 'evt-2' };
    const { id: _, ...named } = body;
    const third = await instance.gateway.call('POST', '/api/events', { as: instance.key, body: named, headers });
    expect(third.body).toEqual({ id: 'evt-2', repeated: true });
    await matched('evt-2');
    expect(await runsOf(workflowId)).toHaveLength(1);
  });

  it('is not hindered by texts in its data that PostgreSQL cannot read as JSON', async () => {
    const half = '\ud800';
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'event', type: 'trigger.event', parameters: { name: 'half.begun' } },
        { id: 'keyed', type: 'wait.event', parameters: { name: 'half.keyed', key: 'a' } },
        { id: 'next', type: 'wait.event', parameters: { name: 'half.next' } },
      ],
      edges: [
        { source: 'event', target: 'keyed' },
        { source: 'keyed', sourceHandle: 'received', target: 'next' },
      ],
    });
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
    await matched(await send('half.begun', { data: { text: `a${half}` } }));
    await send('half.keyed', { key: 'a', data: half });
    await send('half.next');
    const [run] = await runsOf(workflowId);
    await ended(run?.id ?? '');
    expect(await read(run?.id ?? '')).toMatchObject({ status: 'success', error: null });
  });

  it.each(['id', 'key'])('is refused with a text as its %s that PostgreSQL would not keep', async (path) => {
    for (const text of ['a\ud800', 'a\0']) {
      const body = { workspaceId: instance.workspaceId, name: 'odd.id', [path]: text };
      const { status, body: answer } = await call('POST', '/api/events', body);
      expect({ status, answer }).toMatchObject({ status: 400, answer: { details: [{ path }] } });
    }
    expect(await instance.db.event.count({ where: { name: 'odd.id' } })).toBe(0);
  });

  it('is refused with the id of another event, whatever differs: 409', async () => {
    const body = { workspaceId: instance.workspaceId, name: 'used.id', key: 'A', data: { n: 1 }, id: 'used-1' };
    expect((await call('POST', '/api/events', body)).status).toBe(202);
    for (const change of [{ name: 'another' }, { key: 'B' }, { data: { n: 2 } }]) {
      const { status, body: answer } = await call('POST', '/api/events', { ...body, ...change });
      expect([status, answer.code]).toEqual([409, 'CONFLICT']);
    }
    expect((await call('POST', '/api/events', body)).body).toEqual({ id: 'used-1', repeated: true });
  });

  it('whose filter fails starts no run, and is logged', async () => {
    const workflowId = await startedBy({ name: 'odd', filter: '{{ $trigger.data.missing.amount > 1 }}' });
    await matched(await send('odd', { data: {} }));
    expect(await runsOf(workflowId)).toEqual([]);
    expect(log.some((line) => line.includes('filter of an event trigger failed') && line.includes(workflowId))).toBe(
      true,
    );
  });

  it('starts nothing while its workflow is inactive, and what its active version says', async () => {
    const workflowId = await startedBy({ name: 'stock.low' });
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'inactive' });
    expect(await instance.db.eventTrigger.count({ where: { workflowId } })).toBe(0);
    await matched(await send('stock.low'));
    expect(await runsOf(workflowId)).toEqual([]);
    const definition = {
      nodes: [{ id: 'event', type: 'trigger.event', parameters: { name: 'stock.out' } }],
      edges: [],
    };
    await call('POST', `/api/workflows/${workflowId}/versions`, { definition });
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
    await matched(await send('stock.low'));
    await matched(await send('stock.out'));
    expect(await runsOf(workflowId)).toHaveLength(1);
  });

  it('has options, whose key reads the event', async () => {
    const options = {
      tags: ['paid'],
      concurrency: { key: '{{ $trigger.key }}', limit: 1, onLimit: 'reject' },
      delay: 60,
    };
    const workflowId = await startedBy({ name: 'invoice', options });
    for (const key of ['A', 'A', 'B']) await matched(await send('invoice', { key }));
    const runs = await runsOf(workflowId);
    expect(runs.map(({ concurrencyKey, tags }) => [concurrencyKey, tags])).toEqual([
      ['A', ['paid']],
      ['B', ['paid']],
    ]);
  });

  it('starts runs with options together, and only those with keys some at a time', async () => {
    const workflowIds = [
      await startedBy({ name: 'tagged', options: { tags: ['a'] } }),
      await startedBy({ name: 'keyed', options: { concurrency: { key: '{{ $trigger.key }}', limit: 100 } } }),
    ];
    const delayed = [];
    for (const name of ['tagged', 'keyed']) {
      const ids = await sendTogether(name, 30);
      for (const id of ids) await matched(id);
      delayed.push(await instance.db.event.count({ where: { id: { in: ids }, hasEndedWaits: true } }));
    }
    expect(delayed).toEqual([0, 10]);
    for (const workflowId of workflowIds) expect(await runsOf(workflowId)).toHaveLength(30);
  });

  it('with a key that others have locked is delayed, and delays no other event', async () => {
    const options = { concurrency: { key: '{{ $trigger.key }}', limit: 5, onLimit: 'queue' } };
    const workflowId = await startedBy({ name: 'locked', options });
    const keys = async () => (await runsOf(workflowId)).map(({ concurrencyKey }) => concurrencyKey);
    const ids = await instance.db.$transaction(async (tx) => {
      const name = `key of ${workflowId} A`;
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))::text`;
      const sent = [await send('locked', { key: 'A' }), await send('locked', { key: 'B' })];
      await matched(sent[1] ?? '');
      expect([await keys(), await isMatched(sent[0] ?? '')]).toEqual([['B'], false]);
      return sent;
    });
    for (const id of ids) await matched(id);
    expect((await keys()).toSorted()).toEqual(['A', 'B']);
  });

  it('whose start is joined with that of an earlier event counts as no further run', async () => {
    const workflowId = await startedBy({ name: 'joined' });
    const startOptions = JSON.stringify({ debounce: { key: 'a', delay: 60 } });
    await instance.db.eventTrigger.updateMany({ where: { workflowId }, data: { startOptions } });
    const counted = async () =>
      total(parseMetrics(await worker.registry.metrics()), 'deckhand_runs_accepted_total', { source: 'event' });
    // An event is counted after it is matched, and before the next one is.
    await matched(await send('nobody'));
    const before = await counted();
    for (const name of ['joined', 'joined', 'nobody']) await matched(await send(name));
    expect(await runsOf(workflowId)).toHaveLength(1);
    expect((await counted()) - before).toBe(1);
  });

  it('refuses expressions that have no value before a run', async () => {
    const save = (parameters: object) =>
      call('POST', '/api/workflows', {
        workspaceId: instance.workspaceId,
        name: 'Bad',
        definition: { nodes: [{ id: 'event', type: 'trigger.event', parameters }], edges: [] },
      });
    for (const parameters of [
      { name: '{{ $now }}' },
      { name: 'a', filter: '{{ $nodes.a.output }}' },
      { name: 'a b' },
    ]) {
      expect((await save(parameters)).status).toBe(400);
    }
  });

  it('starts no second run for an event that is matched again, because a worker died before it was marked', async () => {
    const workflowId = await startedBy({ name: 'again' });
    const eventId = await send('again');
    await matched(eventId);
    await instance.db.event.updateMany({ where: { eventId }, data: { matchedAt: null } });
    await matched(eventId);
    expect(await runsOf(workflowId)).toHaveLength(1);
  });

  it('waits for the next minute of a workspace with a limit, and then starts each run once', async () => {
    const workflowId = await startedBy({ name: 'burst' });
    await limit(2);
    const ids = [await send('burst'), await send('burst'), await send('burst')];
    const isDelayed = async () => {
      const row = await instance.db.event.findFirst({ where: { eventId: { in: ids }, hasEndedWaits: true } });
      return row !== null && row.nextMatchAt.getTime() - Date.now() > 500 && row.matchedAt === null;
    };
    await until(isDelayed, 'the delay');
    await limit(null);
    await instance.db.event.updateMany({ where: { matchedAt: null }, data: { nextMatchAt: new Date(0) } });
    for (const id of ids) await matched(id);
    expect(await runsOf(workflowId)).toHaveLength(3);
  });
});

describe('the runs per minute of a workspace', () => {
  const concurrency = { key: '{{ $trigger.key }}', limit: 100 };
  const limitFreshly = async (executionsPerMinute: number): Promise<void> => {
    const { redis } = instance.gateway.services.monitoring;
    const keys = await redis.keys('{deckhand}:execution-rate:*');
    if (keys.length > 0) await redis.del(...keys);
    await limit(executionsPerMinute);
  };
  afterEach(() => limit(null));

  it('count a run once, though it waits while others with keys are started', async () => {
    const workflowId = await startedBy({ name: 'counted', options: { concurrency } });
    await limitFreshly(30);
    for (const id of await sendTogether('counted', 30)) await matched(id);
    expect(await runsOf(workflowId)).toHaveLength(30);
  });

  it('do not count a run again that a worker started before it died', async () => {
    const workflowId = await startedBy({ name: 'counted.again' });
    await limitFreshly(1);
    const eventId = await send('counted.again', {});
    await matched(eventId);
    await instance.db.event.updateMany({ where: { eventId }, data: { matchedAt: null, nextMatchAt: new Date(0) } });
    await matched(eventId);
    expect(await runsOf(workflowId)).toHaveLength(1);
  });

  it('count neither a run whose key is locked, nor those that are started with it, before they are started', async () => {
    const workflowIds = [
      await startedBy({ name: 'counted.locked', options: { concurrency } }),
      await startedBy({ name: 'counted.locked' }),
    ];
    await limitFreshly(2);
    const eventId = await instance.db.$transaction(async (tx) => {
      const name = `key of ${workflowIds[0]} A`;
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))::text`;
      const sent = await send('counted.locked', { key: 'A' });
      const isDelayed = async () =>
        (await instance.db.event.count({ where: { eventId: sent, hasEndedWaits: true } })) > 0;
      await until(isDelayed, 'the delay');
      return sent;
    });
    await matched(eventId);
    for (const workflowId of workflowIds) expect(await runsOf(workflowId)).toHaveLength(1);
  });
});

describe('a node that waits for an event', () => {
  const definition = (parameters: object) => ({
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'paid', type: 'wait.event', parameters },
      { id: 'received', type: 'terminal', parameters: { body: '{{ $input }}' } },
      { id: 'late', type: 'terminal', parameters: { body: 'late' } },
    ],
    edges: [
      { source: 'start', target: 'paid' },
      { source: 'paid', sourceHandle: 'received', target: 'received' },
      { source: 'paid', sourceHandle: 'timeout', target: 'late' },
    ],
  });
  const start = async (workflowId: string, input: object) =>
    (await call('POST', `/api/workflows/${workflowId}/execute`, { input })).body.executionId;
  const rests = (id: string) =>
    until(
      async () => (await instance.db.wait.count({ where: { executionId: id } })) === 1 && !(await read(id)).finishedAt,
      'the wait',
    );

  it('continues with the event of its key', async () => {
    const workflowId = await createWorkflow(instance, definition({ name: 'paid', key: '{{ $trigger.order }}' }));
    const [one, other] = [await start(workflowId, { order: 'A-1' }), await start(workflowId, { order: 'A-2' })];
    await Promise.all([rests(one), rests(other)]);
    await send('paid', { key: 'A-1', data: 7 });
    await ended(one);
    expect(await read(one)).toMatchObject({ status: 'success', result: { body: { key: 'A-1', data: 7 } } });
    expect((await read(other)).finishedAt).toBeNull();
  });

  it('continues with an event that came just before it', async () => {
    const workflowId = await createWorkflow(instance, definition({ name: 'early', key: '{{ $trigger.order }}' }));
    const key = uuidv7();
    await matched(await send('early', { key }));
    const id = await start(workflowId, { order: key });
    await ended(id);
    expect(await read(id)).toMatchObject({ status: 'success', result: { body: { key } } });
  });

  it('continues at its time-out if none comes', async () => {
    const workflowId = await createWorkflow(instance, definition({ name: 'never', timeoutSeconds: 0.2 }));
    const id = await start(workflowId, {});
    await ended(id);
    expect(await read(id)).toMatchObject({ status: 'success', result: { body: 'late' } });
  });

  it('continues while another branch occupies the worker', async () => {
    const { nodes, edges } = definition({ name: 'beside' });
    const workflowId = await createWorkflow(instance, {
      nodes: [
        ...nodes,
        { id: 'busy', type: 'loop', parameters: { items: '{{ [1, 2, 3] }}' } },
        { id: 'ask', type: 'approval', parameters: { message: '?' } },
      ],
      edges: [...edges, { source: 'start', target: 'busy' }, { source: 'busy', sourceHandle: 'body', target: 'ask' }],
    });
    const id = await start(workflowId, {});
    await until(async () => (await instance.db.wait.count({ where: { executionId: id } })) === 2, 'both waits');
    await send('beside', { data: 1 });
    const outputOf = () => call('GET', `/api/executions/${id}/nodes/paid/output`);
    await until(async () => (await outputOf()).status === 200, 'the event');
    await call('POST', `/api/executions/${id}/stop`);
  });
});

describe('POST /api/events', () => {
  it('needs the scope events:write', async () => {
    const { gateway, session, workspaceId } = instance;
    const body = { workspaceId, name: 'a' };
    const without = await createKey(gateway, session, { scopes: ['workflows:*', 'events:read'] });
    expect((await gateway.call('POST', '/api/events', { as: without, body })).status).toBe(403);
    const own = await createKey(gateway, session, { scopes: ['events:write'] });
    expect((await gateway.call('POST', '/api/events', { as: own, body })).status).toBe(202);
  });

  it('refuses a workspace with too many events that are not matched', async () => {
    await instance.db.$executeRaw`
      INSERT INTO events (id, workspace_id, event_id, name, key, data, next_match_at)
      SELECT gen_random_uuid(), ${instance.workspaceId}::uuid, 'full-' || n, 'full', '', '1', now() + interval '1 hour'
      FROM generate_series(1, 20000) n`;
    const { status, headers, body } = await call('POST', '/api/events', {
      workspaceId: instance.workspaceId,
      name: 'one.more',
    });
    expect([status, headers.get('retry-after'), body]).toMatchObject([429, '1', { code: 'RATE_LIMITED' }]);
    await instance.db.event.deleteMany({ where: { name: 'full' } });
  });
});

it('a workflow without anything about events is not in the table of triggers', async () => {
  const workflowId = await createWorkflow(instance, chain());
  await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
  expect(await instance.db.eventTrigger.count({ where: { workflowId } })).toBe(0);
});
