import { randomUUID } from 'node:crypto';
import { publishChanges } from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Call,
  chain,
  createKey,
  createWorkflow,
  type Gateway,
  type Instance,
  OWNER,
  startGateway,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let other: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  other = await startGateway(instance);
});
afterAll(stopAll);

const call: Call<[headers?: Record<string, string>]> = (method, path, headers = {}) =>
  instance.gateway.call(method, path, { as: instance.key, headers });
const read = (id: string, etag?: string, query = '') =>
  call('GET', `/api/executions/${id}${query}`, etag === undefined ? {} : { 'if-none-match': etag });
const etagOf = async (id: string, query = '') => (await read(id, undefined, query)).headers.get('etag') ?? '';

async function execute(): Promise<string> {
  const workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } }));
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`);
  return body.executionId;
}

describe('If-None-Match', () => {
  it('304 without a body until the run changes, whatever changes it', async () => {
    const id = await execute();
    const changes = [
      () => call('POST', `/api/executions/${id}/pause`),
      () => call('POST', `/api/executions/${id}/resume`),
      () => call('POST', `/api/executions/${id}/stop`),
    ];
    const seen = [await etagOf(id)];
    for (const change of changes) {
      const etag = seen.at(-1);
      const same = await read(id, etag);
      expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag]);
      expect((await change()).status).toBe(200);
      const changed = await read(id, etag);
      expect(changed.status).toBe(200);
      seen.push(changed.headers.get('etag') ?? '');
    }
    expect(new Set(seen).size).toBe(4);
  });

  it('changes with what a worker does', async () => {
    const id = await execute();
    const etag = await etagOf(id);
    const worker = await startTestWorker(instance);
    const done = await until(async () => {
      const answer = await read(id, etag);
      return answer.status === 200 && answer.body.status === 'success' ? answer : undefined;
    });
    await worker.stop();
    expect(done.headers.get('etag')).not.toBe(etag);
    expect((await read(id, done.headers.get('etag') ?? '')).status).toBe(304);
  });

  it('knows lists, strong tags and *, and tells slim from full', async () => {
    const id = await execute();
    const etag = await etagOf(id);
    const slim = await etagOf(id, '?slim=true');
    expect(slim).not.toBe(etag);
    for (const given of [`"x", ${etag}`, etag.replace('W/', ''), '*']) expect((await read(id, given)).status).toBe(304);
    for (const given of ['"x"', slim, '']) expect((await read(id, given)).status).toBe(200);
    expect((await read(id, slim, '?slim=true')).status).toBe(304);
  });

  it('404 for no run, tag or not', async () => {
    expect((await read('01a1fb35-e8df-7352-8660-75a19a555603', '*')).status).toBe(404);
  });
});

const act = (id: string, action: string) => call('POST', `/api/executions/${id}/${action}`);

describe('wait=', () => {
  const wait = (id: string, seconds: number | string, options: { as?: string; etag?: string } = {}) =>
    other.call('GET', `/api/executions/${id}?wait=${seconds}`, {
      as: options.as ?? instance.key,
      headers: options.etag === undefined ? {} : { 'if-none-match': options.etag },
    });
  const waiting = (count = 1) => until(() => other.services.runs.follower.size() === count, `${count} who wait`);

  it('answers when a worker has finished the run', async () => {
    const id = await execute();
    const answer = wait(id, 60);
    await waiting();
    const worker = await startTestWorker(instance);
    expect((await answer).body).toMatchObject({ id, status: 'success', progress: { a: { output: { n: 1 } } } });
    await worker.stop();
    expect((await wait(id, 60)).body.status).toBe('success');
    expect(other.services.runs.follower.size()).toBe(0);
  });

  it('answers when the run waits for a person, and when another replica stops it', async () => {
    const approval = chain({ id: 'ok', type: 'approval', parameters: { message: 'May it?' } });
    const workflowId = await createWorkflow(instance, approval);
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`);
    const answer = wait(body.executionId, 60);
    await waiting();
    const worker = await startTestWorker(instance);
    expect((await answer).body.status).toBe('waiting_for_input');
    await worker.stop();

    const id = await execute();
    const stopped = wait(id, 60);
    await waiting();
    await act(id, 'pause');
    await act(id, 'stop');
    expect((await stopped).body.status).toBe('stopped');
  });

  it('with If-None-Match, answers once the run is another than that, also while it waits for a person', async () => {
    const approval = chain({ id: 'ok', type: 'approval', parameters: { message: 'May it?' } });
    const workflowId = await createWorkflow(instance, approval);
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`);
    const id: string = body.executionId;
    const worker = await startTestWorker(instance);
    await wait(id, 60);
    const held = wait(id, 60, { etag: await etagOf(id) });
    await waiting();
    const decision = { executionId: id, nodeId: 'ok', approved: true };
    await other.call('POST', '/api/approvals/submit', { as: instance.key, body: decision });
    const answer = await held;
    expect([answer.status, ['running', 'success'].includes(answer.body.status)]).toEqual([200, true]);
    await worker.stop();
    // A request waits only if it has seen the current state of the run, and not its end.
    const pending = await execute();
    expect((await wait(pending, 60, { etag: '"another"' })).body.status).toBe('pending');
    await act(pending, 'stop');
    expect((await wait(pending, 60, { etag: await etagOf(pending) })).status).toBe(304);
  });

  it('answers with the run as it is when the time is up, or with 304 when it is as it was', async () => {
    const id = await execute();
    expect((await wait(id, 1)).body.status).toBe('pending');
    const same = await wait(id, 1, { etag: await etagOf(id) });
    expect([same.status, same.text]).toEqual([304, '']);
  });

  it('learns of the end although no process notifies it', async () => {
    const id = await execute();
    const answer = wait(id, 60);
    await waiting();
    const redis = instance.gateway.services.monitoring.redis;
    await redis.call('ACL', 'SETUSER', 'default', '-publish');
    try {
      await act(id, 'stop');
      expect((await answer).body.status).toBe('stopped');
    } finally {
      await redis.call('ACL', 'SETUSER', 'default', '+publish');
    }
  });

  it('gives only the right to see the run', async () => {
    const created = await instance.gateway.call('POST', '/api/api-keys', {
      as: instance.session,
      body: { name: 'short', password: 'correct horse battery', preset: 'full' },
    });
    const id = await execute();
    const answer = wait(id, 60, { as: created.body.key });
    await waiting();
    await instance.gateway.call('POST', `/api/api-keys/${created.body.id}/revoke`, { as: instance.session });
    const revokedAt = performance.now();
    expect((await answer).status).toBe(401);
    expect(performance.now() - revokedAt).toBeLessThan(1_000);
    await act(id, 'stop');
  });

  it('ends with the session of its caller, and when the key expires', async () => {
    const key = await createKey(instance.gateway, instance.session, { name: 'ends', preset: 'full' });
    const { email, password } = OWNER;
    const session = (await instance.gateway.call('POST', '/api/auth/login', { body: { email, password } })).body.token;
    const id = await execute();
    const held = [wait(id, 60, { as: key }), wait(id, 60, { as: session })];
    await waiting(2);
    await instance.gateway.call('POST', '/api/auth/logout', { as: session });
    await instance.db.apiKey.updateMany({ where: { keyPrefix: key.slice(0, 10) }, data: { expiresAt: new Date() } });
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([401, 401]);
    await act(id, 'stop');
  });

  it('ends with a caller that goes away, and holds a thousand at once', async () => {
    const id = await execute();
    const gone = new AbortController();
    const ask = (signal?: AbortSignal) =>
      fetch(`${other.url}/api/executions/${id}?wait=60`, {
        headers: { 'x-api-key': instance.key },
        ...(signal === undefined ? {} : { signal }),
      });
    const leaving = ask(gone.signal).catch((error: unknown) => error);
    await waiting();
    gone.abort();
    expect(await leaving).toBeInstanceOf(DOMException);
    await waiting(0);
    const answers = Array.from({ length: 1_000 }, () => ask());
    await waiting(1_000);
    await act(id, 'stop');
    const statuses = await Promise.all(
      answers.map(async (answer) => ((await (await answer).json()) as { status: string }).status),
    );
    expect(new Set(statuses)).toEqual(new Set(['stopped']));
    expect(other.services.runs.follower.size()).toBe(0);
  });

  it.each(['-1', '61', '2.5', 'long'])('400 for wait=%s', async (seconds) => {
    const { status, body } = await wait(await execute(), seconds);
    expect([status, body.details?.[0]?.path]).toEqual([400, 'wait']);
  });

  it('404 at once for no run', async () => {
    expect((await wait('01a1fb35-e8df-7352-8660-75a19a555603', 60)).status).toBe(404);
  });
});

describe('the events of a run', () => {
  interface Event {
    readonly id: string;
    readonly run: { status: string; progress: Record<string, { status: string; output?: unknown }> };
  }

  async function* events(id: string, key = instance.key): AsyncGenerator<Event> {
    const answer = await fetch(`${other.url}/api/executions/${id}/events`, { headers: { 'x-api-key': key } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
        );
        text = text.slice(end + 2);
        const data = fields.get('data');
        if (data !== undefined) yield { id: fields.get('id') ?? '', run: JSON.parse(data) };
      }
    }
  }

  it('come node by node, without outputs, and end with the run', async () => {
    const workflowId = await createWorkflow(
      instance,
      chain(
        { id: 'first', type: 'set', parameters: { fields: { n: 1 } } },
        { id: 'rest', type: 'wait', parameters: { seconds: 1.5 } },
        { id: 'last', type: 'set', parameters: { fields: { n: 2 } } },
      ),
    );
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`);
    const seen: Event[] = [];
    const worker = await startTestWorker(instance);
    for await (const event of events(body.executionId)) seen.push(event);
    await worker.stop();
    expect(seen.some(({ run }) => run.progress.rest?.status === 'waiting' && run.status === 'running')).toBe(true);
    expect(seen.at(-1)?.run).toMatchObject({ status: 'success', progress: { last: { status: 'success' } } });
    expect(seen.every(({ run }) => Object.values(run.progress).every((node) => node.output === undefined))).toBe(true);
    const ids = seen.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(other.services.runs.follower.size()).toBe(0);
    const again = await other.call('GET', `/api/executions/${body.executionId}/events`, {
      as: instance.key,
      headers: { 'last-event-id': String(ids.at(-1)) },
    });
    expect(again.status).toBe(204);
  });

  it('end with the right to see the run', async () => {
    const created = await instance.gateway.call('POST', '/api/api-keys', {
      as: instance.session,
      body: { name: 'short', password: 'correct horse battery', preset: 'full' },
    });
    const id = await execute();
    const stream = events(id, created.body.key);
    expect((await stream.next()).value).toMatchObject({ run: { status: 'pending' } });
    await instance.gateway.call('POST', `/api/api-keys/${created.body.id}/revoke`, { as: instance.session });
    await expect(stream.next()).rejects.toThrow('terminated');
    expect(other.services.runs.follower.size()).toBe(0);
  });

  it('404 for no run, 403 without the scope', async () => {
    const path = '/api/executions/01a1fb35-e8df-7352-8660-75a19a555603/events';
    expect((await call('GET', path)).status).toBe(404);
    const key = await createKey(instance.gateway, instance.session, { scopes: ['workflows:read'] });
    expect((await instance.gateway.call('GET', path, { as: key })).body.required).toBe('executions:read');
  });
});

describe('an end that was notified', () => {
  const isEnded = ({ status }: { status: string }) => status === 'success';
  const waitForEnd = (id: string, isNew: boolean) =>
    other.services.runs.follower.waitFor(id, isEnded, {
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      isNew,
    });
  const tell = (id: string) =>
    publishChanges(instance.gateway.services.monitoring.redis, [{ executionId: id, ended: 'success' }]);

  it('is notified at once, without reading the run', async () => {
    // The database has no such run, so only the notification can be the reason.
    const id = randomUUID();
    const ends = Promise.all([waitForEnd(id, true), waitForEnd(id, false)]);
    await tell(id);
    expect(await ends).toEqual([true, true]);
    expect(other.services.runs.follower.size()).toBe(0);
  });

  it('is also reported to callers who start to wait only then', async () => {
    const [early, late] = [randomUUID(), randomUUID()];
    const heard = waitForEnd(late, true);
    await tell(early);
    await tell(late);
    await heard;
    expect(await waitForEnd(early, true)).toBe(true);
  });
});
