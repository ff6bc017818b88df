import { Prisma } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addPartitions,
  addPerson,
  chain,
  createKey,
  createWorkflow,
  type Get,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
  runIdAt,
} from '../../harness/index.ts';

let instance: Instance;
let orders: string;
let failing: string;
let runs: { id: string; workflowId: string }[];

const call: Get<[as?: string]> = (path, as = instance.key) => instance.gateway.call('GET', path, { as });
type Params = Readonly<Record<string, string | number | undefined>>;
const query = (params: Params) => {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== undefined) given.set(name, String(value));
  return given.toString();
};
const list = (params: Params = {}) =>
  call(`/api/executions?${query({ workspaceId: instance.workspaceId, ...params })}`);
const idsOf = async (params: Params = {}): Promise<string[]> => {
  const { status, body } = await list(params);
  expect([status, body.code]).toEqual([200, undefined]);
  return body.data.map(({ id }) => id!);
};

async function execute(workflowId: string, input: object, executionMode = 'normal'): Promise<string> {
  const { body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, {
    as: instance.key,
    body: { input, executionMode },
  });
  return body.executionId;
}

const INPUTS = [
  { customer: 'Ada Lovelace', note: '100% of "A_1"\\' },
  { customer: 'Grace Hopper', note: 'Ümläut ÉTÉ 東京' },
  { customer: 'Edsger', note: 'line\nbreak', n: 42 },
];

beforeAll(async () => {
  instance = await startInstance();
  orders = await createWorkflow(
    instance,
    chain({ id: 'greet', type: 'set', parameters: { fields: { greeting: 'Hello, {{ $trigger.customer }}!' } } }),
  );
  failing = await createWorkflow(
    instance,
    chain({ id: 'no', type: 'fail', parameters: { message: 'No stock for {{ $trigger.customer }}' } }),
  );
  runs = [];
  for (const workflowId of [orders, failing]) {
    for (const input of INPUTS) runs.push({ id: await execute(workflowId, input), workflowId });
  }
});
afterAll(stopAll);

/** Results must not depend on whether runs have started, have ended, or are indexed. */
async function findsByText(): Promise<void> {
  const byInput = (index: number) => runs.filter((_, at) => at % INPUTS.length === index).map(({ id }) => id);
  const found = async (search: string) => (await idsOf({ search })).sort();
  expect(await found('ADA LOVE')).toEqual(byInput(0));
  expect(await found('100% of "a_1"\\')).toEqual(byInput(0));
  expect(await found('a%1')).toEqual([]);
  expect(await found('été 東京')).toEqual(byInput(1));
  expect(await found('line\nbreak')).toEqual(byInput(2));
  expect(await found('42')).toEqual(expect.arrayContaining(byInput(2)));
  expect(await found('nowhere to be found')).toEqual([]);
  const [first] = runs;
  expect(await found(first?.id.toUpperCase() ?? '')).toEqual([first?.id]);
  expect(await found(orders)).toEqual(runs.filter(({ workflowId }) => workflowId === orders).map(({ id }) => id));
}

describe('the runs of a workspace', () => {
  it('are found by text while they wait for a worker, and nothing has an error', async () => {
    await findsByText();
    expect(await idsOf({ errorContains: 'stock' })).toEqual([]);
    expect(await idsOf({ status: 'pending' })).toHaveLength(6);
  });

  it('are found by text once they are done, indexed or not', async () => {
    const worker = await startTestWorker(instance);
    await until(async () => (await idsOf({ status: 'success' })).length === 3);
    await until(async () => (await idsOf({ status: 'failed' })).length === 3);
    await findsByText();
    await until(async () => (await instance.db.unindexedExecution.count()) === 0);
    expect(await instance.db.executionText.count()).toBe(6);
    await worker.stop();
    await findsByText();
    expect(await idsOf({ search: 'hello, ada' })).toEqual([runs[0]?.id]);
    expect(await idsOf({ errorContains: 'no STOCK for grace' })).toEqual([runs[4]?.id]);
    expect(await idsOf({ errorContains: 'nodeId' })).toEqual([]);
    expect(await idsOf({ errorContains: 'FAILED_BY_WORKFLOW' })).toHaveLength(3);
    expect(await idsOf({ search: 'ada love', errorContains: 'stock', status: 'failed' })).toEqual([runs[3]?.id]);
    expect(await idsOf({ search: '', errorContains: '' })).toHaveLength(6);
  });

  it('are entries without outputs, the last started first', async () => {
    const { body } = await list({ includeTotal: 'true' });
    expect(body).toMatchObject({ limit: 100, offset: 0, hasMore: false, total: 6 });
    const started = body.data.map((run) => run.startedAt);
    expect(started).toEqual([...started].sort().reverse());
    const entry = body.data.find(({ id }) => id === runs[0]?.id);
    expect(entry).toMatchObject({
      executionId: runs[0]?.id,
      workflowId: orders,
      status: 'success',
      data: { trigger: INPUTS[0], triggerNodeId: 'start', approvals: [] },
      progress: { greet: { status: 'success', outputOmitted: true } },
    });
    expect(entry).not.toHaveProperty('progress.greet.output');
    expect(entry).not.toHaveProperty('result');
  });

  it('are filtered, ordered and paged', async () => {
    expect((await idsOf({ workflowId: failing })).sort()).toEqual(runs.slice(3).map(({ id }) => id));
    for (const sortBy of ['startedAt', 'createdAt', 'finishedAt']) {
      const all = await idsOf({ sortBy, sortOrder: 'asc' });
      expect(await idsOf({ sortBy })).toEqual([...all].reverse());
      const { body } = await list({ sortBy, sortOrder: 'asc', limit: 2, offset: 3, includeTotal: 'true' });
      expect(body).toMatchObject({ limit: 2, offset: 3, hasMore: true, total: 6 });
      expect(body.data.map(({ id }) => id)).toEqual(all.slice(3, 5));
    }
    const all = (await list({ sortOrder: 'asc' })).body.data;
    const bounds = { 'startedAt[gte]': all[1]!.startedAt!, 'startedAt[lte]': all[4]!.startedAt! };
    const within = (run: { startedAt?: string | null }) =>
      run.startedAt! >= all[1]!.startedAt! && run.startedAt! <= all[4]!.startedAt!;
    expect((await idsOf(bounds)).sort()).toEqual(
      all
        .filter(within)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('leave large trigger data out and say so; the run alone has it', async () => {
    const id = await execute(orders, { text: 'x'.repeat(70_000) });
    const [entry] = (await list({ status: 'pending' })).body.data;
    expect(entry!.data).toMatchObject({ trigger: null, triggerOmitted: true });
    expect((await call(`/api/executions/${id}`)).body.data.trigger).toEqual({ text: 'x'.repeat(70_000) });
    await instance.gateway.call('POST', `/api/executions/${id}/stop`, { as: instance.key });
  });

  it.each([
    { limit: 0 },
    { limit: '2.5' },
    { offset: -1 },
    { status: 'done' },
    { workflowId: 'x' },
    { 'startedAt[gte]': 'yesterday' },
    { sortBy: 'color' },
    { sortOrder: 'up' },
    { search: 'x'.repeat(201) },
  ])('400 for %p', async (params) => {
    const { status, body } = await list(params);
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body.details?.[0]?.path).toBe(Object.keys(params)[0]?.replace('[', '.').replace(']', ''));
  });

  it('leave progress out once the runs of a page have very many nodes, and say so', async () => {
    const nodes = Array.from({ length: 3_000 }, (_, n) => ({ id: `n${n}`, type: 'set', parameters: { fields: {} } }));
    const start = { id: 'start', type: 'trigger.manual' };
    const workflowId = await createWorkflow(instance, { nodes: [start, ...nodes], edges: [] });
    for (let n = 0; n < 30; n += 1)
      await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, { as: instance.key });
    const { body } = await call(`/api/workflows/${workflowId}/executions`);
    const shown = body.data.map((run) => [Object.keys(run.progress!).length, run.progressOmitted]);
    expect(shown).toHaveLength(30);
    expect(shown.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => [3_001, undefined]));
    expect(shown.slice(20)).toEqual(Array.from({ length: 10 }, () => [0, true]));
  });

  it('403 where the caller is not a member, for a key that is bound elsewhere, and for one without the scope', async () => {
    const other = await addPerson(instance);
    expect((await call(`/api/executions?workspaceId=${instance.workspaceId}`, other.session)).body.code).toBe(
      'FORBIDDEN',
    );
    const key = await createKey(instance.gateway, instance.session, { scopes: ['workflows:read'] });
    const refused = await call(`/api/executions?workspaceId=${instance.workspaceId}`, key);
    expect(refused.body).toMatchObject({ code: 'INSUFFICIENT_SCOPE', required: 'executions:read' });
    expect((await call('/api/executions')).body.details).toEqual([{ path: 'workspaceId', message: 'is required' }]);
  });
});

describe('the runs of one workflow', () => {
  const listOf = (id: string, params: Params = {}, as = instance.key) =>
    call(`/api/workflows/${id}/executions?${query(params)}`, as);

  it('are listed like those of a workspace, at most 100 at once', async () => {
    const { body } = await listOf(failing, { limit: 2 });
    expect([body.data.length, body.hasMore, body.limit]).toEqual([2, true, 2]);
    expect((await listOf(failing, { errorContains: 'grace' })).body.data[0]!.id).toBe(runs[4]?.id);
    expect((await listOf(failing, { limit: 101 })).body.limit).toBe(100);
  });

  it('latest=true is the last success with its outputs in a list, those of test, debug and sandbox runs left out', async () => {
    const { body } = await listOf(orders, { latest: 'true' });
    expect(body).toMatchObject({ limit: 1, offset: 0, hasMore: false });
    const ended = (await listOf(orders, { status: 'success' })).body.data;
    expect(body.data).toMatchObject([
      { id: ended[0]!.id, progress: { greet: { output: { greeting: expect.anything() } } } },
    ]);
    expect((await listOf(failing, { latest: 'true' })).body.data).toEqual([]);
    expect((await listOf(failing, { latest: 'true', status: 'success' })).body.data).toEqual([]);
    expect((await listOf(failing, { latest: 'true', status: 'failed' })).body.details?.[0]?.path).toBe('status');
    const worker = await startTestWorker(instance);
    const ids: string[] = [];
    for (const mode of ['test', 'debug', 'sandbox']) ids.push(await execute(orders, {}, mode));
    await until(async () => (await idsOf({ status: 'success' })).filter((id) => ids.includes(id)).length === 3);
    await worker.stop();
    expect((await listOf(orders, { latest: 'true' })).body.data[0]!.id).toBe(ended[0]!.id);
  });

  it('404 for a workflow that is not there or not visible', async () => {
    const other = await addPerson(instance);
    expect((await listOf(orders, {}, other.session)).status).toBe(404);
    expect((await listOf('01a1fb35-e8df-7352-8660-75a19a555603')).status).toBe(404);
    expect((await listOf('x')).status).toBe(404);
  });
});

describe('a search among many', () => {
  const WORDS = ['amber', 'basalt', 'cobalt', 'dolomite', 'emerald', 'feldspar'];
  interface Known {
    id: string;
    status: string;
    at: string;
    text: string;
  }
  let known: Known[];
  let workspaceId: string;

  /**
   * More runs than are read before the index is used; each word is half as frequent as the one before. Their ids belong
   * to three partitions by turns, in no relation to when they started.
   */
  beforeAll(async () => {
    const created = await instance.gateway.call('POST', '/api/workspaces', {
      as: instance.session,
      body: { name: 'Many' },
    });
    workspaceId = created.body.id;
    const workflow = await instance.gateway.call('POST', '/api/workflows', {
      as: instance.session,
      body: { workspaceId, name: 'Many', definition: chain({ id: 'a', type: 'set', parameters: { fields: {} } }) },
    });
    await addPartitions(instance.db, { count: 2, days: 5 });
    const bound = Prisma.sql`(SELECT max(time_of_id(upper_id)) FROM run_partitions)`;
    const idTime = Prisma.sql`CASE i % 3 WHEN 0 THEN now() ELSE ${bound} - (i % 3 * 5 - 2.5) * interval '1 day' END`;
    await instance.db.$executeRaw`
      INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id,
        trigger_data, created_at, started_at, finished_at, dispatched_at, deadline_at, error)
      SELECT ${runIdAt(idTime)}, ${workspaceId}::uuid, ${workflow.body.id}::uuid, ${workflow.body.latestVersionId}::uuid,
        (CASE WHEN i % 7 = 0 THEN 'failed' ELSE 'success' END)::execution_status, 'api', 'start',
        json_build_object('i', i, 'words', (
          SELECT json_agg(word) FROM unnest(${WORDS}::text[]) WITH ORDINALITY w (word, n)
          WHERE i % (4 ^ n)::int = 1 OR (n = 6 AND i = 1)))::text,
        at, at, at + interval '1 second', at, at + interval '1 hour',
        CASE WHEN i % 7 = 0 THEN '{"message":"broke on ' || (i % 30) || '\\u0000","nodeId":"a","code":"BROKEN"}' END
      FROM generate_series(1, 12000) i, LATERAL (SELECT timestamptz '2026-01-01' + i * interval '1 minute' AS at) t`;
    await instance.db
      .$executeRaw`INSERT INTO unindexed_executions SELECT id FROM executions WHERE workspace_id = ${workspaceId}::uuid`;
    // The last hundreds are not indexed, as under load.
    const { findUnindexedRuns, indexExecutions } = await import('@deckhand/db');
    const unindexed = await findUnindexedRuns(instance.db, { limit: 11_700, except: [] });
    const ids = unindexed.map(({ id }) => id);
    for (let start = 0; start < ids.length; start += 1_000) {
      await indexExecutions(instance.db, ids.slice(start, start + 1_000));
    }
    await instance.db.$executeRaw`ANALYZE`;
    const rows = await instance.db.execution.findMany({ where: { workspaceId } });
    known = rows.map((row) => ({
      id: row.id,
      status: row.status,
      at: row.startedAt?.toISOString() ?? '',
      text: [row.id, row.workflowId, row.workflowVersionId, row.triggerData, row.error].join('\n').toLowerCase(),
    }));
  });

  it('finds what reading every run finds, whatever the filters, the order and the page', async () => {
    const term = fc.oneof(fc.constantFrom(...WORDS, 'zircon', 'a', '"i": 77', 'broke'), fc.nat(12_000).map(String));
    const request = fc.record(
      {
        search: term,
        errorContains: fc.constantFrom('broke on 1', 'BROKEN', 'on 29'),
        status: fc.constantFrom('success', 'failed', 'stopped'),
        sortOrder: fc.constantFrom('asc', 'desc'),
        from: fc.nat(11_999),
        limit: fc.constantFrom(1, 20, 500),
        offset: fc.constantFrom(0, 3, 1_500),
      },
      { requiredKeys: ['limit', 'offset'] },
    );
    await fc.assert(
      fc.asyncProperty(request, async ({ from, ...asked }) => {
        const since = from === undefined ? '' : new Date(Date.UTC(2026, 0, 1) + from * 60_000).toISOString();
        const expected = known
          .filter(({ status, at, text }) => {
            if (asked.status !== undefined && status !== asked.status) return false;
            if (at < since) return false;
            if (asked.search !== undefined && !text.includes(asked.search.toLowerCase())) return false;
            return asked.errorContains === undefined || text.includes(asked.errorContains.toLowerCase());
          })
          .sort((a, b) => (asked.sortOrder === 'asc' ? 1 : -1) * a.at.localeCompare(b.at))
          .map(({ id }) => id);
        const bounds = from === undefined ? {} : { 'startedAt[gte]': since };
        const { body } = await list({ workspaceId, ...asked, ...bounds, includeTotal: 'true' });
        const ids = body.data.map(({ id }) => id);
        expect(ids).toEqual(expected.slice(asked.offset, asked.offset + asked.limit));
        expect([body.total, body.hasMore]).toEqual([expected.length, expected.length > asked.offset + asked.limit]);
      }),
      { numRuns: 60 },
    );
  });

  const exported = (params: Params, as = instance.key) =>
    call(`/api/executions/export?${query({ workspaceId, ...params })}`, as);

  it('exports every match, in the order of the list', async () => {
    const all = await exported({ format: 'json' });
    expect(all.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(all.headers.get('content-disposition')).toMatch(/^attachment; filename="executions-\d{4}-\d\d-\d\d\.json"$/);
    const newestFirst = [...known].sort((a, b) => b.at.localeCompare(a.at)).map(({ id }) => id);
    expect(all.body.map(({ id }) => id)).toEqual(newestFirst);
    const [entry] = (await list({ workspaceId, limit: 1 })).body.data;
    expect(all.body[0]).toEqual(entry);
    for (const search of ['amber', 'emerald', 'zircon']) {
      const { body } = await exported({ format: 'json', search, sortOrder: 'asc' });
      const matching = known.filter(({ text }) => text.includes(search)).map(({ id, at }) => ({ id, at }));
      const expected = matching.sort((a, b) => a.at.localeCompare(b.at)).map(({ id }) => id);
      expect(body.map(({ id }) => id)).toEqual(expected);
    }
  });

  it('exports every match whatever the paging of the list says, and checks that', async () => {
    const all = await exported({ format: 'json' });
    const paged = await exported({ format: 'json', limit: '1', offset: '1', includeTotal: 'true', cursor: 'x' });
    expect([paged.status, paged.text]).toEqual([200, all.text]);
    expect((await exported({ format: 'json', limit: '0' })).body.details).toMatchObject([{ path: 'limit' }]);
  });

  it('exports CSV with a header, one line a run', async () => {
    const { status, text, headers } = await exported({ format: 'csv', status: 'failed' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    const lines = text.trimEnd().split('\r\n');
    expect(lines[0]).toContain('executionId,workflowId,');
    expect(lines.length - 1).toBe(known.filter((run) => run.status === 'failed').length);
    expect((await exported({ format: 'csv', search: 'zircon' })).text.trimEnd()).toBe(lines[0]);
  });

  it('400 for another format, 403 for no member', async () => {
    expect((await exported({ format: 'xml' })).status).toBe(400);
    expect((await exported({})).body.details?.[0]?.path).toBe('format');
    const other = await addPerson(instance);
    expect((await exported({ format: 'csv' }, other.session)).body.code).toBe('FORBIDDEN');
  });

  it('ends with a caller that goes away, and takes three at once', async () => {
    const headers = { 'x-api-key': instance.key };
    const url = `${instance.gateway.url}/api/executions/export?${query({ workspaceId, format: 'json' })}`;
    const gone = new AbortController();
    const open = await Promise.all([1, 2, 3].map(() => fetch(url, { headers, signal: gone.signal })));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await fetch(url, { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    // However long a caller takes to read, no transaction stays open.
    await until(async () => {
      const [row] = await instance.db.$queryRaw<{ n: number }[]>`
        SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE state <> 'idle' AND datname = current_database() AND pid <> pg_backend_pid()`;
      return row?.n === 0;
    });
    expect((await fetch(url, { headers })).status).toBe(429);
    gone.abort();
    await until(async () => (await exported({ format: 'json', status: 'failed' })).status === 200);
  });
});

describe('a run that ends without a worker', () => {
  it('is made searchable too, whether it was stopped or its time was up', async () => {
    const [stopped, late] = [await execute(orders, {}), await execute(orders, {})];
    const act = (id: string, action: string) =>
      instance.gateway.call('POST', `/api/executions/${id}/${action}`, { as: instance.key });
    await act(stopped, 'stop');
    await act(late, 'pause');
    await instance.db.execution.update({ where: { id: late }, data: { deadlineAt: new Date(0) } });
    const worker = await startTestWorker(instance);
    const texts = () => instance.db.executionText.count({ where: { executionId: { in: [stopped, late] } } });
    await until(async () => (await texts()) === 2);
    await worker.stop();
    expect(await idsOf({ errorContains: 'EXECUTION_TIMEOUT' })).toEqual([late]);
  });
});

describe('letters with two small forms', () => {
  it('are found in any form, by the index, without it, and in errors and names', async () => {
    const name = 'Οδός Ερμού';
    const workflowId = await createWorkflow(
      instance,
      chain({ id: 'no', type: 'fail', parameters: { message: 'λάθος {{ $trigger.unit }}' } }),
    );
    await instance.gateway.call('PATCH', `/api/workflows/${workflowId}`, { as: instance.key, body: { name } });
    const id = await execute(workflowId, { street: 'οδος ερμησ', unit: '5 µs' });
    const find = async () =>
      Promise.all([
        ...['ΟΔΟΣ', 'οδοσ', 'ΕΡΜΗΣ', 'ερμης', '5 μS', '5 ΜS'].map((search) => idsOf({ search })),
        idsOf({ search: 'ΟΔΟΡ' }),
      ]);
    expect(await find()).toEqual([[id], [id], [id], [id], [id], [id], []]);
    const worker = await startTestWorker(instance);
    await until(async () => (await idsOf({ errorContains: 'ΛΆΘΟΣ 5 μs' })).includes(id));
    await until(async () => (await instance.db.unindexedExecution.count()) === 0);
    await worker.stop();
    expect(await find()).toEqual([[id], [id], [id], [id], [id], [id], []]);
    for (const search of ['ΟΔΌΣ', 'οδός', 'ΟΔΌΣ ΕΡΜΟΎ']) {
      const path = `/api/workflows?${query({ workspaceId: instance.workspaceId, search })}` as const;
      const { body } = await instance.gateway.call('GET', path, { as: instance.key });
      expect(body.data.map((entry) => entry.id)).toEqual([workflowId]);
    }
  });
});

describe('a spreadsheet', () => {
  it('gets no formula from a sender', async () => {
    const id = await execute(orders, {});
    await instance.db.execution.update({ where: { id }, data: { triggerData: '=cmd|calc', currentNodeId: '@x' } });
    const { text } = await call(
      `/api/executions/export?${query({ workspaceId: instance.workspaceId, format: 'csv', status: 'pending' })}`,
    );
    expect(text).toContain(",'=cmd|calc");
    expect(text).toContain(",'@x,");
  });

  it.each([
    'one\ntwo',
    'one\rtwo',
    "1\n=cmd|'/C calc'!A0",
    "1\r=cmd|'/C calc'!A0",
    '1\r\n@SUM(1)',
    'a "quoted", word',
    ' =1',
    ...['=', '+', '-', '@', '\t', '\r', '\n', '\uFF1D'].map((start) => `${start}1+1,"2"`),
  ])('gets one cell, and no formula, of the message %j', async (message) => {
    const id = await execute(orders, {});
    const error = JSON.stringify({ code: 'NODE_FAILED', nodeId: 'x', message });
    await instance.db.execution.update({ where: { id }, data: { error, currentNodeId: message } });
    const { text } = await call(
      `/api/executions/export?${query({ workspaceId: instance.workspaceId, format: 'csv', status: 'pending' })}`,
    );
    const row = cellsOf(text).find(([executionId]) => executionId === id) ?? [];
    expect(row).toHaveLength(21);
    const expected = /^[=+@\-\t\r\n\uFF1D]/.test(message) ? `'${message}` : message;
    expect([row[10], row[14]]).toEqual([expected, expected]);
  });

  /** Reads CSV as RFC 4180 has it, and nothing else. */
  function cellsOf(text: string): string[][] {
    const cells = text.match(/(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/g) ?? [];
    expect(cells.join('')).toBe(text);
    const rows: string[][] = [[]];
    for (const cell of cells) {
      const value = cell.replace(/(?:,|\r\n)$/, '');
      rows.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
      if (cell.endsWith('\r\n')) rows.push([]);
    }
    return rows;
  }
});
