import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addPerson,
  callWithKey,
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
let gateway: Gateway;
let replica: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  replica = await startGateway(instance);
  await startTestWorker(instance, { mayRecover: true });
});
afterAll(stopAll);

const start = { id: 'start', type: 'trigger.manual' };
const ask = { id: 'ask', type: 'approval', parameters: { message: 'Pay {{ $trigger.sum }}?' } };
const paid = { id: 'paid', type: 'set', parameters: { fields: { by: '{{ $input.by }}' } } };
const refused = { id: 'refused', type: 'set', parameters: { fields: {} } };
const APPROVAL = {
  nodes: [start, ask, paid, refused],
  edges: [
    { source: 'start', target: 'ask' },
    { source: 'ask', sourceHandle: 'approved', target: 'paid' },
    { source: 'ask', sourceHandle: 'rejected', target: 'refused' },
  ],
};

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const submit = (body: object) => call('POST', '/api/approvals/submit', body);
const list = async () =>
  (await call('GET', `/api/approvals?workspaceId=${instance.workspaceId}`)).body.data as { id: string }[];

async function waitingRun(definition: object = APPROVAL, status = 'waiting_for_input'): Promise<string> {
  const workflowId = await createWorkflow(instance, definition);
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, { input: { sum: 9 } });
  const id: string = body.executionId;
  await until(async () => (await read(id)).status === status, `the run to be ${status}`);
  return id;
}
const end = (id: string, status: string) =>
  until(async () => (await read(id)).status === status, `the run to be ${status}`);

describe('an approval', () => {
  it('is listed while it waits, and continues with the decision, which is kept with the run', async () => {
    const id = await waitingRun();
    expect((await list()).find((entry) => entry.id === id)).toMatchObject({
      currentNodeId: 'ask',
      iteration: null,
      waitId: `${id}:ask`,
      workflowName: 'Test',
      message: 'Pay 9?',
      choices: ['approved', 'rejected'],
      waitingSince: expect.any(String),
    });
    const decision = { approved: true, decision: 'approved', comment: 'fine', waitId: `${id}:ask` };
    expect(await submit({ executionId: id, nodeId: 'ask', ...decision })).toMatchObject({
      status: 200,
      body: { executionId: id, status: 'running' },
    });
    await end(id, 'success');
    const run = await read(id);
    expect(run.data.approvals).toEqual([
      {
        nodeId: 'ask',
        iteration: null,
        decision: 'approved',
        approved: true,
        comment: 'fine',
        by: run.data.approvals[0]!.byUser!.id,
        byUser: { id: expect.any(String), name: OWNER.name, email: OWNER.email.toLowerCase() },
        at: expect.any(String),
      },
    ]);
    expect(run.progress.refused!.status).toBe('skipped');
    expect((await list()).some((entry) => entry.id === id)).toBe(false);
  });

  it('continues the other way when it is rejected, by name or by approved: false', async () => {
    for (const decision of [{ approved: false }, { decision: 'rejected' }]) {
      const id = await waitingRun();
      await submit({ executionId: id, nodeId: 'ask', ...decision });
      await end(id, 'success');
      expect((await read(id)).progress).toMatchObject({ refused: { status: 'success' }, paid: { status: 'skipped' } });
    }
  });

  it('takes one decision of many that are sent at once to two replicas; the others are refused', async () => {
    const id = await waitingRun();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? gateway : replica).call('POST', '/api/approvals/submit', {
          as: instance.key,
          body: { executionId: id, nodeId: 'ask', approved: i % 2 === 0 },
        }),
      ),
    );
    await end(id, 'success');
    const [kept] = (await read(id)).data.approvals as { approved: boolean }[];
    // The same decision before the run resumed got the same response.
    for (const [i, { status }] of answers.entries()) {
      if (status === 200) expect(i % 2 === 0).toBe(kept?.approved);
      else expect(status).toBe(400);
    }
    expect(answers.some(({ status }) => status === 200)).toBe(true);
  });

  it('says to whoever comes too late how the wait has ended', async () => {
    const id = await waitingRun();
    await submit({ executionId: id, nodeId: 'ask', approved: true, comment: 'fine' });
    await end(id, 'success');
    for (const approved of [true, false]) {
      expect(await submit({ executionId: id, nodeId: 'ask', approved })).toMatchObject({
        status: 400,
        body: {
          code: 'ALREADY_DECIDED',
          recorded: {
            decision: 'approved',
            comment: 'fine',
            by: expect.any(String),
            byUser: { name: OWNER.name },
            at: expect.any(String),
          },
        },
      });
    }
  });

  it('and its time-out have one winner, which is what the caller is told', async () => {
    const timed = {
      ...APPROVAL,
      nodes: APPROVAL.nodes.map((node) =>
        node.id === 'ask' ? { ...node, parameters: { message: '?', timeoutSeconds: 0.3 } } : node,
      ),
    };
    const workflowId = await createWorkflow(instance, timed);
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, { input: { sum: 9 } });
        const id: string = body.executionId;
        const decide = () => submit({ executionId: id, nodeId: 'ask', approved: true });
        // Half of them as soon as a decision is possible, half of them around the time-out.
        const told = await until(async () => {
          const due = (await instance.db.wait.findFirst({ where: { executionId: id } }))?.dueAt;
          if (!due || (i % 2 === 1 && Date.now() < due.getTime() - 10)) return undefined;
          return decide();
        }, `the decision on ${id}`);
        const run = await until(async () => {
          const found = await read(id);
          return ['success', 'failed'].includes(found.status) ? found : undefined;
        }, `the end of ${id}`);
        if (told.status === 200) {
          expect(run).toMatchObject({ status: 'success', progress: { ask: { output: { decision: 'approved' } } } });
        } else {
          expect(told).toMatchObject({
            status: 400,
            body: { code: 'ALREADY_DECIDED', recorded: { decision: null, comment: null, by: null, byUser: null } },
          });
          expect(run).toMatchObject({ status: 'failed', error: { code: 'APPROVAL_TIMEOUT' } });
        }
      }),
    );
  });

  it.each([
    ['neither approved nor decision', {}],
    ['approved and decision that disagree', { approved: true, decision: 'rejected' }],
    ['a wait of another node', { approved: true, waitId: 'x:ask' }],
    ['another iteration than the wait', { approved: true, iteration: 3, waitId: (id: string) => `${id}:ask` }],
    ['no iteration of the node', { approved: true, iteration: 3 }],
    ['no choice of the node', { decision: 'maybe' }],
    ['an unknown field', { approved: true, reason: 'x' }],
    ['another node', { nodeId: 'paid', approved: true }],
  ])('400: %s, and the run waits on', async (_what, body) => {
    const id = await waitingRun();
    const given = Object.entries(body).map(([name, value]) => [name, typeof value === 'function' ? value(id) : value]);
    expect((await submit({ executionId: id, nodeId: 'ask', ...Object.fromEntries(given) })).status).toBe(400);
    expect((await read(id)).status).toBe('waiting_for_input');
    await call('POST', `/api/executions/${id}/stop`);
  });

  it('400 for a run that does not wait, 404 for one that is not visible, 403 without the scope', async () => {
    const id = await waitingRun();
    await call('POST', `/api/executions/${id}/stop`);
    expect(await submit({ executionId: id, nodeId: 'ask', approved: true })).toMatchObject({
      status: 400,
      body: { code: 'NOT_WAITING' },
    });
    const nowhere = '01a1fb35-e8df-7352-8660-75a19a555603';
    expect((await submit({ executionId: nowhere, nodeId: 'ask', approved: true })).status).toBe(404);
    const key = await createKey(gateway, instance.session, { preset: 'read-write' });
    const body = { executionId: id, nodeId: 'ask', approved: true };
    const answer = await gateway.call('POST', '/api/approvals/submit', { as: key, body });
    expect(answer).toMatchObject({ status: 403, body: { required: 'approvals:write' } });
  });

  it('is not answered by resume: a paused run waits again', async () => {
    const id = await waitingRun();
    await call('POST', `/api/executions/${id}/pause`);
    expect((await submit({ executionId: id, nodeId: 'ask', approved: true })).status).toBe(400);
    expect((await call('POST', `/api/executions/${id}/resume`)).status).toBe(200);
    await end(id, 'waiting_for_input');
    await submit({ executionId: id, nodeId: 'ask', approved: true });
    await end(id, 'success');
  });

  it('503 while Redis is down: the decision is recorded, and submitting it again lets the run continue', async () => {
    const id = await waitingRun();
    await instance.redis.kill();
    const body = { executionId: id, nodeId: 'ask', approved: true };
    const pending = { code: 'RESUME_PENDING', executionId: id, waitId: `${id}:ask` };
    expect(await submit(body)).toMatchObject({ status: 503, body: pending });
    const other = await submit({ ...body, approved: false });
    expect(other).toMatchObject({ status: 400, body: { code: 'ALREADY_DECIDED', recorded: { decision: 'approved' } } });
    await instance.redis.restart();
    // Recovery may have resumed the run by then. The response is the same.
    const again = await until(async () => {
      const answer = await submit(body);
      return answer.status === 503 ? undefined : answer;
    }, 'the second try');
    expect(again).toMatchObject({ status: 200, body: { executionId: id } });
    await end(id, 'success');
    expect((await read(id)).data.approvals).toHaveLength(1);
    // From now on the same decision counts as a new one, which comes too late.
    expect(await submit(body)).toMatchObject({ status: 400, body: { code: 'ALREADY_DECIDED' } });
    const entries = await instance.db.auditEntry.findMany({ where: { resourceId: id, action: 'execution.decide' } });
    expect(entries).toHaveLength(1);
  });

  it('503: the same Idempotency-Key may be used again, and replays the first response from then on', async () => {
    const id = await waitingRun();
    const send = () =>
      gateway.call('POST', '/api/approvals/submit', {
        as: instance.key,
        body: { executionId: id, nodeId: 'ask', approved: true },
        headers: { 'idempotency-key': `decide-${id}` },
      });
    await instance.redis.kill();
    expect((await send()).status).toBe(503);
    await instance.redis.restart();
    const again = await until(async () => {
      const answer = await send();
      return answer.status === 503 ? undefined : answer;
    }, 'the second try');
    expect(again.status).toBe(200);
    await end(id, 'success');
    const replayed = await send();
    expect([replayed.status, replayed.text]).toEqual([200, again.text]);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
  });

  it('503, then resumed by recovery: submitting it again is 200, by whoever decided and nobody else', async () => {
    const id = await waitingRun();
    await instance.redis.kill();
    const body = { executionId: id, nodeId: 'ask', approved: true, comment: 'yes' };
    expect((await submit(body)).status).toBe(503);
    await instance.redis.restart();
    await end(id, 'success');
    const editor = await addPerson(instance, 'editor');
    const refused = [
      await gateway.call('POST', '/api/approvals/submit', { as: editor.session, body }),
      await submit({ ...body, comment: 'no' }),
    ];
    for (const answer of refused) expect(answer).toMatchObject({ status: 400, body: { code: 'ALREADY_DECIDED' } });
    expect((await submit(body)).status).toBe(200);
    expect(await submit(body)).toMatchObject({ status: 400, body: { recorded: { comment: 'yes' } } });
  });
});

describe('approvals in a loop', () => {
  /** A run with an approval for each of three items, with this concurrency. */
  async function askingRun(concurrency: number): Promise<string> {
    const each = { id: 'each', type: 'loop', parameters: { items: ['a', 'b', 'c'], concurrency } };
    const item = { ...ask, parameters: { message: '{{ $loop.item }}?' } };
    return waitingRun({
      nodes: [start, each, item],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'ask' },
      ],
    });
  }
  const open = async (id: string) =>
    ((await call('GET', `/api/approvals?workspaceId=${instance.workspaceId}`)).body.data as Record<string, unknown>[])
      .filter((entry) => entry.id === id)
      .map(({ message, iteration, waitId }) => ({ message, iteration, waitId }));
  const waits = (id: string, count: number) =>
    until(async () => ((await open(id)).length === count ? true : undefined), `${count} open approvals`);

  it('are told apart by iteration or waitId, without which none of several is decided', async () => {
    const id = await askingRun(3);
    await waits(id, 3);
    const listed = await open(id);
    expect(listed).toEqual(
      ['a', 'b', 'c'].map((item, n) => ({ message: `${item}?`, iteration: String(n), waitId: `${id}:ask:${n}` })),
    );
    const body = { executionId: id, nodeId: 'ask' };
    expect(await submit({ ...body, approved: true })).toMatchObject({
      status: 409,
      body: { code: 'SEVERAL_WAITS', details: listed.map(({ waitId, iteration }) => ({ waitId, iteration })) },
    });
    expect(await open(id)).toHaveLength(3);
    expect((await submit({ ...body, iteration: 1, approved: false })).status).toBe(200);
    expect((await submit({ ...body, waitId: `${id}:ask:2`, approved: true })).status).toBe(200);
    expect(await submit({ ...body, iteration: 1, approved: false })).toMatchObject({
      status: 400,
      body: { code: 'ALREADY_DECIDED', recorded: { decision: 'rejected' } },
    });
    // One is left, so the decision is for that one.
    expect((await submit({ ...body, approved: true })).status).toBe(200);
    await end(id, 'success');
    const decided = (await read(id)).data.approvals.map((one: Record<string, unknown>) => [
      one.iteration,
      one.approved,
    ]);
    expect(decided).toEqual([
      ['1', false],
      ['2', true],
      ['0', true],
    ]);
  });

  it('one after another: a decision that is repeated after a 503 does not decide the next item', async () => {
    const id = await askingRun(1);
    await waits(id, 1);
    const body = { executionId: id, nodeId: 'ask', approved: true };
    await instance.redis.kill();
    expect((await submit(body)).status).toBe(503);
    await instance.redis.restart();
    await until(async () => ((await open(id))[0]?.iteration === '1' ? true : undefined), 'the next item');
    expect((await submit(body)).status).toBe(200);
    expect(await open(id)).toMatchObject([{ iteration: '1' }]);
    // The first one was acknowledged, so this is for the second item.
    expect((await submit(body)).status).toBe(200);
    await until(async () => ((await open(id))[0]?.iteration === '2' ? true : undefined), 'the last item');
    await call('POST', `/api/executions/${id}/stop`);
  });
});

describe('a human task', () => {
  const form = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' } },
    additionalProperties: false,
  };
  const definition = {
    nodes: [
      start,
      { id: 'form', type: 'human', parameters: { title: 'Who?', schema: form } },
      { id: 'end', type: 'terminal', parameters: { body: '{{ $input.name }}' } },
    ],
    edges: [
      { source: 'start', target: 'form' },
      { source: 'form', target: 'end' },
    ],
  };

  it('takes what fits its form and continues with it', async () => {
    const id = await waitingRun(definition, 'waiting_for_human');
    const complete = (data: unknown) => call('POST', `/api/executions/${id}/nodes/form/complete`, { data });
    const tasks = async () =>
      (await call('GET', `/api/human-tasks?workspaceId=${instance.workspaceId}`)).body.data as {
        executionId: string;
      }[];
    expect((await tasks()).find(({ executionId }) => executionId === id)).toMatchObject({
      nodeId: 'form',
      iteration: null,
      waitId: `${id}:form`,
      workflowName: 'Test',
      title: 'Who?',
      schema: form,
      waitingSince: expect.any(String),
    });
    expect((await call('POST', `/api/executions/${id}/nodes/%00/complete`, { data: {} })).status).toBe(404);
    const faulty = await complete({ nmae: 'Ada' });
    expect(faulty.status).toBe(400);
    expect(faulty.body.details?.map(({ path }) => path).sort()).toEqual(['data.name', 'data.nmae']);
    expect((await complete({ name: 'Ada' })).status).toBe(200);
    await end(id, 'success');
    expect((await read(id)).result).toMatchObject({ body: 'Ada' });
    expect((await tasks()).some(({ executionId }) => executionId === id)).toBe(false);
    expect(await complete({ name: 'Eve' })).toMatchObject({
      status: 400,
      body: { code: 'ALREADY_DECIDED', recorded: { data: { name: 'Ada' }, byUser: { name: OWNER.name } } },
    });
  });

  it('whose form takes for ever to check is answered all the same, and nobody else waits for it', async () => {
    // Each part is checked twice for each part that refers to it: the cost is exponential.
    const names = Array.from({ length: 40 }, (_, n) => `d${n}`);
    const $defs = Object.fromEntries(
      names.map((name, n) => {
        const next = { $ref: `#/$defs/d${n + 1}` };
        return [name, n === 39 ? { type: 'object' } : { allOf: [next, next] }];
      }),
    );
    const endless = { $defs, $ref: '#/$defs/d0' };
    const node = { id: 'form', type: 'human', parameters: { title: 'Who?', schema: endless } };
    const id = await waitingRun(
      { nodes: [start, node], edges: [{ source: 'start', target: 'form' }] },
      'waiting_for_human',
    );
    const ended = new AbortController();
    const answered = call('POST', `/api/executions/${id}/nodes/form/complete`, { data: {} }).finally(() => {
      ended.abort();
    });
    let healthy = 0;
    while (!ended.signal.aborted) if ((await gateway.call('GET', '/healthz')).status === 200) healthy += 1;
    const details = [{ path: 'data', message: 'takes too long to check against its schema' }];
    expect(await answered).toMatchObject({ status: 400, body: { details } });
    expect(healthy).toBeGreaterThan(5);
    expect((await read(id)).status).toBe('waiting_for_human');
  });
});

describe('a rerun', () => {
  it('202: is a new run with the original trigger data; the original stays', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [start, paid],
      edges: [{ source: 'start', target: 'paid' }],
    });
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, {
      input: { sum: 3 },
      executionMode: 'debug',
    });
    await end(body.executionId, 'success');
    const before = await read(body.executionId);
    const rerun = await call('POST', `/api/executions/${body.executionId}/rerun`);
    expect(rerun).toMatchObject({ status: 202, body: { message: expect.any(String) } });
    await end(rerun.body.executionId, 'success');
    expect(await read(rerun.body.executionId)).toMatchObject({
      source: 'rerun',
      executionMode: 'debug',
      data: { trigger: { sum: 3 }, rerunOf: body.executionId },
    });
    expect(await read(body.executionId)).toEqual(before);
  });

  it('422 for a run whose trigger is gone from the version', async () => {
    const workflowId = await createWorkflow(instance, { nodes: [start], edges: [] });
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`);
    await end(body.executionId, 'success');
    const definition = { nodes: [{ ...start, id: 'other' }], edges: [] };
    await call('POST', `/api/workflows/${workflowId}/versions`, { definition });
    expect(await call('POST', `/api/executions/${body.executionId}/rerun`)).toMatchObject({
      status: 422,
      body: { code: 'TRIGGER_DATA_GONE', error: 'The version has no trigger "start" any more' },
    });
  });

  it('422 for a run that is not finished, or whose trigger data is gone', async () => {
    const id = await waitingRun();
    expect(await call('POST', `/api/executions/${id}/rerun`)).toMatchObject({
      status: 422,
      body: { code: 'EXECUTION_NOT_FINISHED' },
    });
    await call('POST', `/api/executions/${id}/stop`);
    await instance.db.execution.update({ where: { id }, data: { triggerData: null } });
    expect(await call('POST', `/api/executions/${id}/rerun`)).toMatchObject({
      status: 422,
      body: { code: 'TRIGGER_DATA_GONE' },
    });
  });
});

describe('approvers', () => {
  const asking = (parameters: object) => ({
    ...APPROVAL,
    nodes: [start, { ...ask, parameters: { message: 'Pay?', ...parameters } }, paid, refused],
  });
  const decide = (as: string, executionId: string) =>
    gateway.call('POST', '/api/approvals/submit', { as, body: { executionId, nodeId: 'ask', approved: true } });
  const listFor = async (as: string, query = '') => {
    const { body } = await gateway.call('GET', `/api/approvals?workspaceId=${instance.workspaceId}${query}`, { as });
    return new Map(body.data.map(({ id, canAnswer }) => [id, canAnswer]));
  };
  const createWorkspace = async () => {
    const { body } = await gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Other' } });
    return body.workspaceId;
  };
  const invited = (person: { readonly userId: string; readonly email: string }, workspaceId: string) =>
    instance.db.invite.create({
      data: {
        ...{ id: uuidv7(), workspaceId, email: person.email, role: 'viewer', tokenHash: uuidv7() },
        ...{ createdBy: person.userId, expiresAt: new Date(), acceptedAt: new Date(), acceptedBy: person.userId },
      },
    });
  const ONLY_APPROVERS = 'Only the approvers of this wait may answer it';
  const FOUR_EYES = 'Whoever started the run, or saved its version, may not answer this';

  it('alone decide: people, whatever their role, and roles; whoever reads no runs sees nothing else', async () => {
    const [editor, viewer, approver] = [
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'viewer'),
      await addPerson(instance, 'approver'),
    ];
    const forPeople = await waitingRun(asking({ approvers: { people: [`{{ '${viewer.email.toUpperCase()}' }}`] } }));
    // An address that people chose themselves names nobody, nor does one that another workspace has invited.
    expect((await listFor(viewer.session)).get(forPeople)).toBe(false);
    await invited(viewer, await createWorkspace());
    expect((await listFor(viewer.session)).get(forPeople)).toBe(false);
    await invited(viewer, instance.workspaceId);
    const forRole = await waitingRun(asking({ approvers: { roles: ['approver', 'viewer'] } }));
    const forAll = await waitingRun();
    const refused = [
      await decide(instance.session, forPeople),
      await decide(editor.session, forPeople),
      await decide(approver.session, forPeople),
      await decide(editor.session, forRole),
      await decide(viewer.session, forAll),
    ];
    expect(refused.map(({ status, body }) => [status, 'error' in body && body.error])).toEqual([
      ...Array.from({ length: 4 }, () => [403, ONLY_APPROVERS]),
      [403, 'This needs the permission approvals.answer'],
    ]);
    const seen = async (as: string, query?: string) => {
      const listed = await listFor(as, query);
      return [forPeople, forRole, forAll].map((id) => listed.get(id));
    };
    expect(await seen(editor.session)).toEqual([false, false, true]);
    expect(await seen(viewer.session)).toEqual([true, true, false]);
    expect(await seen(viewer.session, '&canAnswer=true')).toEqual([true, true, undefined]);
    expect(await seen(approver.session)).toEqual([undefined, true, true]);
    const unseen = await gateway.call('GET', `/api/executions/${forRole}`, { as: approver.session });
    expect(unseen.status).toBe(404);

    for (const [as, id] of [
      [viewer.session, forPeople],
      [approver.session, forRole],
      [approver.session, forAll],
    ] as const) {
      expect((await decide(as, id)).status).toBe(200);
    }
    await end(forPeople, 'success');
    expect((await read(forPeople)).data.approvals).toMatchObject([
      { by: viewer.userId, byUser: { email: viewer.email } },
    ]);
    // How it ended is for those who might have answered it.
    expect((await decide(editor.session, forPeople)).body).toMatchObject({ error: ONLY_APPROVERS });
  });

  it('with four eyes, are neither who started the run, or one before it, nor who saved its version, or that of its parent', async () => {
    const [starter, again, caller, other] = [
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'editor'),
    ];
    const child = await createWorkflow(instance, asking({ fourEyes: true }));
    const call = { id: 'call', type: 'workflow', parameters: { workflowId: child, input: {} } };
    const parent = await createWorkflow(instance);
    const definition = { nodes: [start, call], edges: [{ source: 'start', target: 'call' }] };
    await gateway.call('POST', `/api/workflows/${parent}/versions`, { as: caller.session, body: { definition } });
    const execute = (id: string) => gateway.call('POST', `/api/workflows/${id}/execute`, { as: starter.session });
    await execute(parent);
    const { body: first } = await execute(child);
    await gateway.call('POST', `/api/executions/${first.executionId}/stop`, { as: starter.session });
    const { body: rerun } = await gateway.call('POST', `/api/executions/${first.executionId}/rerun`, {
      as: again.session,
    });
    const waiting = async () =>
      (
        await gateway.call('GET', `/api/executions?workspaceId=${instance.workspaceId}&workflowId=${child}`, {
          as: instance.session,
        })
      ).body.data.filter(({ status }) => status === 'waiting_for_input');
    await until(async () => (await waiting()).length === 2, 'both runs to wait');
    for (const { id = '' } of await waiting()) {
      const third = id === rerun.executionId ? again : caller;
      for (const as of [instance.session, starter.session, third.session]) {
        const own = await decide(as, id);
        expect([own.status, own.body]).toMatchObject([403, { error: FOUR_EYES }]);
      }
      expect((await listFor(starter.session)).get(id)).toBe(false);
      expect((await decide(other.session, id)).status).toBe(200);
    }
  });

  it('400: with links, by which anybody answers', async () => {
    const workflowId = await createWorkflow(instance);
    const issues = [];
    for (const limit of [{ approvers: { roles: ['approver'] } }, { fourEyes: true }]) {
      const definition = asking({ ...limit, allowLinks: true });
      const { status, body } = await call('POST', `/api/workflows/${workflowId}/versions`, { definition });
      issues.push([status, body.details?.[0]?.path]);
    }
    expect(issues).toEqual([
      [400, 'definition.nodes[1].parameters.allowLinks'],
      [400, 'definition.nodes[1].parameters.allowLinks'],
    ]);
  });
});
