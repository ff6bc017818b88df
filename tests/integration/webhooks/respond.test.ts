import type { JsonObject } from '@deckhand/contracts';
import { respondToCaller } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  countLockWaits,
  createHook,
  type Gateway,
  type Hook,
  type HookOptions,
  type Instance,
  sendHook,
  startGateway,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let other: Gateway;
let worker: Awaited<ReturnType<typeof startTestWorker>>;

beforeAll(async () => {
  instance = await startInstance();
  other = await startGateway(instance);
  worker = await startTestWorker(instance);
});
afterAll(stopAll);

const hookWith = (
  nodes: NonNullable<HookOptions['nodes']>,
  parameters: JsonObject = { responseMode: 'onCompletion' },
  settings: HookOptions['settings'] = {},
) => createHook(instance, parameters, { nodes, settings });
const respond = (parameters: JsonObject = {}, id = 'reply') => ({ id, type: 'respond', parameters });
const wait = { id: 'later', type: 'wait', parameters: { seconds: 600 } };
const fail = { id: 'no', type: 'fail', parameters: { message: 'no' } };
const send = (hook: Hook, init?: RequestInit, gateway = instance.gateway) => sendHook(gateway, hook.path, init);
const lastRun = ({ workflowId }: Hook) =>
  instance.db.execution.findFirstOrThrow({ where: { workflowId }, orderBy: { id: 'desc' } });
const outputOf = async (executionId: string, nodeId = 'reply') => {
  const where = { executionId_nodeId: { executionId, nodeId } };
  const { output } = await instance.db.nodeRun.findUniqueOrThrow({ where });
  return JSON.parse(output ?? 'null');
};
const finished = (hook: Hook) =>
  until(async () => {
    const run = await lastRun(hook);
    return run.finishedAt && run;
  }, 'the end of the run');
const stop = (id: string) => instance.gateway.call('POST', `/api/executions/${id}/stop`, { as: instance.session });

describe('a respond node', () => {
  it('responds to callers at every gateway while the run goes on', async () => {
    const hook = await hookWith([
      respond({
        statusCode: 202,
        headers: { 'X-Order': '{{ $trigger.body.order }}', 'X-Bad': 'a{{ "\\n" }}b' },
        body: { got: '{{ $trigger.body.order }}' },
      }),
      wait,
    ]);
    const init = (order: string) => ({
      body: JSON.stringify({ order }),
      headers: { 'content-type': 'application/json' },
    });
    const answers = await Promise.all([send(hook, init('A')), send(hook, init('B'), other)]);
    expect(answers.map(({ status, text, headers }) => [status, text, headers.get('x-order')])).toEqual([
      [202, '{"got":"A"}', 'A'],
      [202, '{"got":"B"}', 'B'],
    ]);
    for (const { headers } of answers) {
      expect(headers.get('content-security-policy')).toMatch(/^sandbox/);
      expect(headers.get('x-bad')).toBeNull();
    }
    const run = await lastRun(hook);
    expect([run.finishedAt, run.respondedBy]).toEqual([null, 'reply/']);
    await stop(run.id);
  });

  it('responds with its input, and the result and a failure of the run change nothing', async () => {
    const end = { id: 'end', type: 'terminal', parameters: { body: 'result' } };
    const echo = await hookWith([{ id: 'a', type: 'set', parameters: { fields: { a: 1 } } }, respond(), end]);
    expect((await send(echo)).text).toBe('{"a":1}');
    const failing = await hookWith([respond({ body: 'fine' }), fail]);
    const first = await send(failing, { headers: { 'idempotency-key': 'k' } });
    await finished(failing);
    const again = await send(failing, { headers: { 'idempotency-key': 'k' } }, other);
    expect([first, again].map(({ status, text }) => [status, text])).toEqual([
      [200, 'fine'],
      [200, 'fine'],
    ]);
    expect((await lastRun(failing)).status).toBe('failed');
  });

  it('counts once: a second one, and one in each iteration of a loop, find that the run has responded', async () => {
    const hook = await hookWith([respond({ body: 'first' }), respond({ body: 'second' }, 'again')]);
    expect((await send(hook)).text).toBe('first');
    const { id, storedBytes } = await finished(hook);
    const [first, second] = await Promise.all([outputOf(id), outputOf(id, 'again')]);
    expect([first.outcome, second.outcome, second.body]).toEqual(['responded', 'alreadyResponded', 'second']);
    // Trigger data, the response, and the outputs of the two nodes.
    expect(Number(storedBytes)).toBeGreaterThan(JSON.stringify([first, second]).length);
  });

  it('without being reached, leaves the response to the end of the run', async () => {
    const skipped = { id: 'if', type: 'if', parameters: { condition: false } };
    const definition = {
      nodes: [
        { id: 'hook', type: 'trigger.webhook', parameters: { responseMode: 'onCompletion' } },
        skipped,
        respond(),
      ],
      edges: [
        { source: 'hook', target: 'if' },
        { source: 'if', sourceHandle: 'true', target: 'reply' },
      ],
    };
    const { gateway, session, workspaceId } = instance;
    const created = await gateway.call('POST', '/api/workflows', {
      as: session,
      body: { workspaceId, name: 'Skips', definition },
    });
    await gateway.call('PATCH', `/api/workflows/${created.body.id}`, { as: session, body: { status: 'active' } });
    const path = new URL(created.body.webhooks[0]!.url).pathname;
    expect((await sendHook(gateway, path)).body).toMatchObject({ status: 'success' });
    expect((await send(await hookWith([fail, respond()]))).body.code).toBe('EXECUTION_FAILED');
  });

  it('does nothing in runs without a caller: other modes, runs of the API, and reruns', async () => {
    const immediate = await hookWith([respond({ body: 'x' })], {});
    expect((await send(immediate)).body.executionId).toMatch(/-/);
    const { gateway, session } = instance;
    const runs = [await finished(immediate)];
    await gateway.call('POST', `/api/workflows/${immediate.workflowId}/execute`, { as: session });
    runs.push(await finished(immediate));
    const waiting = await hookWith([respond({ body: 'x' })]);
    await send(waiting);
    const { id } = await finished(waiting);
    await gateway.call('POST', `/api/executions/${id}/rerun`, { as: session });
    runs.push(await finished(waiting));
    for (const run of runs) {
      expect([run.status, run.respondedBy, run.response]).toEqual(['success', null, null]);
      expect(await outputOf(run.id)).toEqual({ outcome: 'noCaller', statusCode: 200, headers: {}, body: 'x' });
    }
  });

  it('fails beyond its limits, and the caller gets the failure', async () => {
    const large = '{{ "x".repeat(90000) }}';
    const hook = await hookWith([respond({ headers: { 'x-large': large } })]);
    expect((await send(hook)).body.code).toBe('EXECUTION_FAILED');
    expect(JSON.parse((await finished(hook)).error ?? '{}').code).toBe('RESPONSE_TOO_LARGE');
  });

  it('of a caller who has gone, or whose time was up, responds to nobody, and the run goes on', async () => {
    const hook = await hookWith([{ ...wait, parameters: { seconds: 0.5 } }, respond({ body: 'late' })]);
    const gone = new AbortController();
    const answer = send(hook, { signal: gone.signal, headers: { 'idempotency-key': 'k' } }).catch(() => 'gone');
    await until(async () => (await instance.db.execution.count({ where: { workflowId: hook.workflowId } })) === 1);
    gone.abort();
    expect(await answer).toBe('gone');
    const run = await finished(hook);
    expect([run.status, (await outputOf(run.id)).outcome]).toEqual(['success', 'responded']);
    expect((await send(hook, { headers: { 'idempotency-key': 'k' } })).text).toBe('late');
  });

  it('is heard although every notification is lost, or comes before the caller waits', async () => {
    const hook = await hookWith([respond({ body: 'fine' }), wait]);
    const deaf = await startGateway(instance);
    deaf.services.runs.follower.notify = () => undefined;
    expect((await send(hook, {}, deaf)).text).toBe('fine');
    const { id } = await lastRun(hook);
    const { follower } = other.services.runs;
    const reads: boolean[] = [];
    follower.notify([{ executionId: id, hasResponse: true }]);
    const unfollow = follower.follow(id, ({ hasResponse }) => reads.push(hasResponse), { isNew: true });
    await until(() => reads.length > 0, 'the remembered response');
    unfollow();
    expect(reads).toEqual([true]);
    await stop(id);
  });
});

describe('the response of a run', () => {
  /** A run that no worker has taken yet. */
  async function startUnheld() {
    await worker.stop();
    const hook = await hookWith([respond({ body: 'of the second attempt' }), respond({ body: 'x' }, 'again')]);
    const answer = send(hook);
    const { id } = await until(() => instance.db.execution.findFirst({ where: { workflowId: hook.workflowId } }));
    return { hook, answer, id };
  }
  const by = (executionId: string, nodeId: string, body: string) =>
    respondToCaller(instance.db, {
      executionId,
      nodeId,
      iteration: '',
      responseJson: JSON.stringify({ body, statusCode: 200, headers: {} }),
    });

  it('stays the first one when the worker dies after it was sent, and the node runs again', async () => {
    const { hook, answer, id } = await startUnheld();
    // What a worker has done that dies before it could record the node.
    expect(await by(id, 'reply', 'of the first attempt')).toBe('responded');
    expect((await answer).text).toBe('of the first attempt');
    worker = await startTestWorker(instance);
    await finished(hook);
    expect((await outputOf(id)).outcome).toBe('responded');
    expect(JSON.parse((await lastRun(hook)).response ?? '')).toMatchObject({ body: 'of the first attempt' });
    expect((await outputOf(id, 'again')).outcome).toBe('alreadyResponded');
  });

  it('is that of one node, of many at once', async () => {
    const { hook, answer, id } = await startUnheld();
    const verdicts = await Promise.all(Array.from({ length: 20 }, (_, index) => by(id, `n${index}`, `${index}`)));
    expect(verdicts.filter((verdict) => verdict === 'responded').length).toBe(1);
    expect((await answer).text).toBe(String(verdicts.indexOf('responded')));
    await stop(id);
    expect((await lastRun(hook)).respondedBy).toBe(`n${verdicts.indexOf('responded')}/`);
    worker = await startTestWorker(instance);
  });

  it('is the first one, of two that began before either was set', async () => {
    const { answer, id } = await startUnheld();
    const { db } = instance;
    let both: Promise<string[]> = Promise.resolve([]);
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM executions WHERE id = ${id}::uuid FOR UPDATE`;
      both = Promise.all([by(id, 'reply', 'x'), by(id, 'again', 'x')]);
      await until(async () => (await countLockWaits(db)) === 2);
    });
    expect((await both).sort()).toEqual(['alreadyResponded', 'responded']);
    expect((await answer).text).toBe('x');
    await stop(id);
    worker = await startTestWorker(instance);
  });

  it('is not that of a run that was stopped', async () => {
    const { hook, answer, id } = await startUnheld();
    await stop(id);
    expect(await by(id, 'reply', 'late')).toBe('noCaller');
    expect((await answer).body.code).toBe('EXECUTION_FAILED');
    expect((await lastRun(hook)).response).toBeNull();
    worker = await startTestWorker(instance);
  });

  it('is deleted with the data of the run', async () => {
    const hook = await hookWith([respond({ body: 'secret' })]);
    await send(hook);
    const { id } = await finished(hook);
    const { status } = await instance.gateway.call('POST', `/api/executions/${id}/redact`, { as: instance.session });
    expect([status, (await lastRun(hook)).response]).toEqual([200, null]);
  });
});
