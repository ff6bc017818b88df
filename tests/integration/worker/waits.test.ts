import type { Definition } from '@deckhand/contracts';
import { createDatabase, type Database } from '@deckhand/db';
import { connectRedis, createRunQueue, publishControl, type Redis, type RunQueue } from '@deckhand/queue';
import { createSchemaChecker, loadNodeTypes } from '@deckhand/nodes';
import { openFileStore, openOutputStore } from '@deckhand/outputs';
import { createLogger, createSecretBox, createMemoryBudget } from '@deckhand/runtime';
import { startWorker } from '@deckhand/worker';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { NO_SERVICES, OUTPUTS_IN_POSTGRES } from '../../harness/node-context.ts';
import {
  chain,
  createTestDatabase,
  expectWithin,
  itInTime,
  promised,
  seedWorkflow,
  startTestRedis,
  stopAll,
  stopLater,
  TEST_ENCRYPTION_KEY,
  until,
} from '../../harness/index.ts';

let db: Database;
let queue: RunQueue;
let redis: Redis;

beforeAll(async () => {
  const database = await createTestDatabase();
  const server = await startTestRedis();
  db = createDatabase({ url: database.url, poolSize: 10 });
  stopLater({ stop: () => db.$disconnect() });
  redis = connectRedis(server.url, { role: 'producer' });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  stopLater({
    stop: async () => {
      await queue.close();
      redis.disconnect();
    },
  });
  const worker = await startWorker({
    id: uuidv7(),
    version: 'test',
    db,
    redisUrl: server.url,
    databaseUrl: database.url,
    maxBlockedMs: 600_000,
    nodeTypes: await loadNodeTypes(),
    services: NO_SERVICES,
    schemas: createSchemaChecker(),
    outputs: await openOutputStore(OUTPUTS_IN_POSTGRES, db),
    files: await openFileStore(OUTPUTS_IN_POSTGRES, db),
    secretBox: createSecretBox(TEST_ENCRYPTION_KEY),
    memory: createMemoryBudget(1_073_741_824),
    concurrency: 10,
    graceMs: 1_000,
    logger: createLogger({ name: 'test', level: 'silent' }),
    registry: new Registry(),
  });
  stopLater({ stop: () => worker.drain() });
});
afterAll(stopAll);

const run = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });

async function start(definition: Parameters<typeof seedWorkflow>[1]): Promise<string> {
  const id = await (await seedWorkflow(db, definition)).accept({});
  await queue.add([{ workspaceId: 'w', executionId: id, dispatch: 1 }]);
  return id;
}

/** Records a decision as the API does: once, and dispatches the run if no worker holds it. */
async function decide(executionId: string, decision: string): Promise<boolean> {
  const { count } = await db.wait.updateMany({
    where: { executionId, answeredAt: null },
    data: { answer: JSON.stringify({ decision }), answeredAt: new Date() },
  });
  if (count === 0) return false;
  const { dispatchSeq: dispatch, workerId } = await db.execution.update({
    where: { id: executionId },
    data: { answerCount: { increment: 1 }, dispatchSeq: { increment: 1 }, dispatchedAt: new Date() },
  });
  if (workerId === null) await queue.add([{ workspaceId: 'w', executionId, dispatch }]);
  else await publishControl(redis, { type: 'answer', executionIds: [executionId] });
  return true;
}

/** docs/failure-modes.md: maintenance tasks run every second. */
const MAINTENANCE_MS = 1_000;

const ask = { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } };
const after = { id: 'after', type: 'set', parameters: { fields: { done: true } } };

describe('a run with an approval', () => {
  const definition = {
    nodes: [{ id: 'start', type: 'trigger.manual' }, ask, after],
    edges: [
      { source: 'start', target: 'ask' },
      { source: 'ask', sourceHandle: 'approved', target: 'after' },
    ],
  };

  it('rests without a worker and continues with the decision', async () => {
    const id = await start(definition);
    await until(async () => (await run(id)).status === 'waiting_for_input', 'resting');
    expect(await run(id)).toMatchObject({ workerId: null, currentNodeId: 'ask' });
    await decide(id, 'approved');
    await until(async () => (await run(id)).status === 'success', 'the end');
    const rows = await db.nodeRun.findMany({ where: { executionId: id }, orderBy: { nodeId: 'asc' } });
    expect(rows.map(({ nodeId, status, attempts }) => [nodeId, status, attempts])).toEqual([
      ['after', 'success', 1],
      ['ask', 'success', 1],
      ['start', 'success', 1],
    ]);
  });

  itInTime('whose decision was recorded but not queued continues all the same', async () => {
    const id = await start(definition);
    await until(async () => (await run(id)).status === 'waiting_for_input', 'resting');
    await db.wait.updateMany({
      where: { executionId: id },
      data: { answer: '{"decision":"approved"}', answeredAt: new Date() },
    });
    await db.execution.update({
      where: { id },
      data: { answerCount: { increment: 1 }, dispatchSeq: { increment: 1 }, dispatchedAt: new Date() },
    });
    const answeredAt = Date.now();
    await until(async () => (await run(id)).status === 'success', 'the end');
    expectWithin(
      promised('the API dies between a recorded decision and its job'),
      Number((await run(id)).finishedAt) - answeredAt,
    );
  });
});

describe('a loop of approvals', () => {
  const definition: Definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'each', type: 'loop', parameters: { items: ['a', 'b', 'c', 'd'] } },
      ask,
      { id: 'note', type: 'set', parameters: { fields: { is: '{{ $loop.item }}: {{ $nodes.ask.output.decision }}' } } },
    ],
    edges: [
      { source: 'start', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'ask' },
      { source: 'ask', sourceHandle: 'approved', target: 'note' },
    ],
  };
  const waitFor = (id: string, iteration: number) =>
    until(async () => {
      const where = { executionId: id, nodeId: 'ask', iteration: String(iteration), answeredAt: null };
      return (await db.wait.count({ where })) === 1 && (await run(id)).status === 'waiting_for_input';
    }, `the approval of iteration ${iteration}`);
  async function decideAll(id: string, iterations: number[]): Promise<void> {
    for (const iteration of iterations) {
      await waitFor(id, iteration);
      await decide(id, 'approved');
    }
  }
  const outputOf = async (id: string) => {
    await until(async () => (await run(id)).status === 'success', 'the end');
    const where = { executionId_nodeId: { executionId: id, nodeId: 'each' } };
    return JSON.parse((await db.nodeRun.findUniqueOrThrow({ where })).output ?? 'null') as unknown;
  };

  it('with a condition continues with the output before, although a resumed run reads only the iteration in progress', async () => {
    const condition = "{{ $loop.previous.is == 'approved, approved, approved' }}";
    const repeated: Definition = {
      ...definition,
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'each', type: 'loop', parameters: { mode: 'until', condition, maxIterations: 5 } },
        ask,
        {
          id: 'note',
          type: 'set',
          parameters: {
            fields: {
              is: "{{ [...($loop.previous == null ? [] : [$loop.previous.is]), $nodes.ask.output.decision].join(', ') }}",
            },
          },
        },
      ],
    };
    const id = await start(repeated);
    await decideAll(id, [0, 1]);
    await waitFor(id, 2);
    expect(JSON.parse((await run(id)).loopPositions ?? 'null')).toMatchObject({
      loops: [{ nodeId: 'each', iteration: '', next: 3, open: [2] }],
    });
    // A run that read it again would now repeat it.
    await db.nodeIteration.deleteMany({ where: { executionId: id, iteration: '0' } });
    await decideAll(id, [2]);
    const said = 'approved';
    expect(await outputOf(id)).toEqual([null, { is: `${said}, ${said}` }, { is: `${said}, ${said}, ${said}` }]);
  });

  it('has the output of every iteration, although a resumed run reads only the iteration in progress', async () => {
    const id = await start(definition);
    await decideAll(id, [0, 1, 2]);
    await waitFor(id, 3);
    expect(JSON.parse((await run(id)).loopPositions ?? 'null')).toMatchObject({
      loops: [{ nodeId: 'each', iteration: '', next: 4, open: [3] }],
    });
    // A run that read it again would now repeat it.
    await db.nodeIteration.deleteMany({ where: { executionId: id, iteration: '1' } });
    await decideAll(id, [3]);
    expect(await outputOf(id)).toEqual([{ is: 'a: approved' }, null, { is: 'c: approved' }, { is: 'd: approved' }]);
    expect((await run(id)).loopPositions).toBeNull();
    const { iterations, iterationCounts } = await db.nodeRun.findUniqueOrThrow({
      where: { executionId_nodeId: { executionId: id, nodeId: 'note' } },
    });
    expect({ iterations, iterationCounts }).toEqual({ iterations: 4, iterationCounts: '{"success":4}' });
  });

  it('reads all iterations after a worker of an earlier version, which writes no positions', async () => {
    const id = await start(definition);
    await decideAll(id, [0]);
    await waitFor(id, 1);
    const stale = (await run(id)).loopPositions;
    await decideAll(id, [1]);
    await waitFor(id, 2);
    await db.execution.update({ where: { id }, data: { loopPositions: stale } });
    await decideAll(id, [2, 3]);
    expect(await outputOf(id)).toEqual(['a', 'b', 'c', 'd'].map((item) => ({ is: `${item}: approved` })));
    expect(await db.wait.count({ where: { executionId: id } })).toBe(4);
  });
});

describe('a wait', () => {
  itInTime('ends on time, with its node run once', async () => {
    const id = await start(chain({ id: 'pause', type: 'wait', parameters: { seconds: 1 } }, after));
    await until(async () => (await run(id)).wakeAt !== null, 'resting');
    expect(await run(id)).toMatchObject({ status: 'running', workerId: null });
    await until(async () => (await run(id)).status === 'success', 'the end');
    // By the database's clock alone: the worker's estimate of it, in the record of the node, may be off.
    const { dueAt, answeredAt } = await db.wait.findFirstOrThrow({ where: { executionId: id, nodeId: 'pause' } });
    const lateMs = Number(answeredAt) - Number(dueAt);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expectWithin({ what: 'a wait ends', ms: MAINTENANCE_MS }, lateMs);
  });

  it('of an approval fails the run when its time is up, and a later decision finds it ended', async () => {
    const id = await start({
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { ...ask, parameters: { message: '?', timeoutSeconds: 0.5 } },
      ],
      edges: [{ source: 'start', target: 'ask' }],
    });
    await until(async () => (await run(id)).status === 'failed', 'the end');
    expect((await run(id)).error).toContain('APPROVAL_TIMEOUT');
    expect(await decide(id, 'approved')).toBe(false);
  });
});

describe('a run past its time limit', () => {
  itInTime('becomes timeout while it rests', async () => {
    const id = await start({
      ...chain({ id: 'pause', type: 'wait', parameters: { seconds: 600 } }),
      settings: { timeoutSeconds: 3_600 },
    });
    const key = { executionId_nodeId: { executionId: id, nodeId: 'pause' } };
    await until(async () => (await db.nodeRun.findUnique({ where: key }))?.status === 'waiting', 'the rest');
    await db.execution.update({ where: { id }, data: { deadlineAt: new Date() } });
    await until(async () => (await run(id)).status === 'timeout', 'the time-out');
    expect((await db.nodeRun.findUniqueOrThrow({ where: key })).status).toBe('stopped');
    const { deadlineAt, finishedAt } = await run(id);
    expectWithin(
      { what: 'a run that rests is timed out', ms: MAINTENANCE_MS },
      Number(finishedAt) - Number(deadlineAt),
    );
  });

  it('may rest for any time without a limit of its own, and ends once workers have held it for too long', async () => {
    const id = await start({
      nodes: [{ id: 'start', type: 'trigger.manual' }, ask],
      edges: [{ source: 'start', target: 'ask' }],
    });
    await until(async () => (await run(id)).status === 'waiting_for_input', 'the rest');
    const { deadlineAt, timeLeftMs, heldUntil } = await run(id);
    expect([deadlineAt.getUTCFullYear(), heldUntil]).toEqual([9999, null]);
    expect(Number(timeLeftMs)).toBeGreaterThan(3_000_000);
    await db.execution.update({ where: { id }, data: { timeLeftMs: 0 } });
    expect(await decide(id, 'approved')).toBe(true);
    await until(async () => (await run(id)).status === 'timeout', 'the time-out');
  });
});

describe('a workflow node', () => {
  const child = (...nodes: Parameters<typeof chain>) =>
    seedWorkflow(db, chain(...nodes, { id: 'end', type: 'terminal', parameters: { body: '{{ $trigger.n + 1 }}' } }));

  async function startParent(childWorkflow: { workflowId: string; workspaceId: string }, version = 'latest') {
    const call = {
      id: 'call',
      type: 'workflow',
      parameters: { workflowId: childWorkflow.workflowId, input: { n: 41 }, version },
    };
    return startIn(childWorkflow, await seedWorkflow(db, chain(call, { id: 'end', type: 'terminal' })));
  }

  /** Starts a workflow after moving it into the workspace of another. */
  async function startIn(childWorkflow: { workspaceId: string }, parent: Awaited<ReturnType<typeof seedWorkflow>>) {
    await db.workflow.update({ where: { id: parent.workflowId }, data: { workspaceId: childWorkflow.workspaceId } });
    await db.membership.create({
      data: { workspaceId: childWorkflow.workspaceId, userId: parent.userId, role: 'owner' },
    });
    const id = await parent.accept({});
    await queue.add([{ workspaceId: 'w', executionId: id, dispatch: 1 }]);
    return id;
  }

  it('starts the other workflow once, waits for it and answers its result', async () => {
    const other = await child({ id: 'pause', type: 'wait', parameters: { seconds: 0.2 } });
    const id = await startParent(other);
    await until(async () => (await run(id)).status === 'success', 'the end');
    expect((await run(id)).result).toContain('"body":42');
    const children = await db.execution.findMany({ where: { parentExecutionId: id } });
    expect(children).toMatchObject([{ status: 'success', source: 'workflow', depth: 1 }]);
  });

  it('starts the latest version of the other workflow, the active one, or one by its id', async () => {
    const other = await child();
    const { latestVersionId: first } = await db.workflow.findUniqueOrThrow({ where: { id: other.workflowId } });
    const { id: _, ...columns } = await db.workflowVersion.findUniqueOrThrow({ where: { id: first ?? '' } });
    const {
      definition,
      sealedSecrets,
      tool: _tool,
      concurrency: _concurrency,
      inputSchemas: _schemas,
      ...rest
    } = {
      ...columns,
      number: 2,
    };
    const copied = { definition: definition ?? {}, sealedSecrets: sealedSecrets ?? {}, ...rest };
    const second = await db.workflowVersion.create({ data: { id: uuidv7(), ...copied } });
    const pointers = { latestVersionId: second.id, activeVersionId: first };
    await db.workflow.update({ where: { id: other.workflowId }, data: pointers });
    const started = async (version: string) => {
      const id = await startParent(other, version);
      await until(async () => (await run(id)).status === 'success', `the end with ${version}`);
      return (await db.execution.findFirstOrThrow({ where: { parentExecutionId: id } })).workflowVersionId;
    };
    expect(await started('latest')).toBe(second.id);
    expect(await started('active')).toBe(first);
    expect(await started(first?.toUpperCase() ?? '')).toBe(first);
  });

  it('fails without an active version, and with a version of another workflow', async () => {
    const other = await child();
    const failed = async (version: string) => {
      const id = await startParent(other, version);
      await until(async () => (await run(id)).status === 'failed', `the end with ${version}`);
      expect(await db.execution.count({ where: { parentExecutionId: id } })).toBe(0);
      return (await run(id)).error;
    };
    expect(await failed('active')).toContain('NO_ACTIVE_VERSION');
    const { latestVersionId } = await db.workflow.findUniqueOrThrow({ where: { id: (await child()).workflowId } });
    expect(await failed(latestVersionId ?? '')).toContain(`the workflow has no version ${latestVersionId}`);
    expect(await failed('{{ "newest" }}')).toContain('PARAMETERS_INVALID');
  });

  it('fails when the other run fails', async () => {
    const id = await startParent(await child({ id: 'no', type: 'fail', parameters: { message: 'sorry' } }));
    await until(async () => (await run(id)).status === 'failed', 'the end');
    expect((await run(id)).error).toContain('sorry');
  });

  it('stops the other run when this one fails elsewhere', async () => {
    const other = await child({ id: 'rest', type: 'wait', parameters: { seconds: 3_600 } });
    const definition: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'call', type: 'workflow', parameters: { workflowId: other.workflowId } },
        { id: 'pause', type: 'wait', parameters: { seconds: 0.5 } },
        { id: 'no', type: 'fail', parameters: { message: 'sorry' } },
      ],
      edges: [
        { source: 'start', target: 'call' },
        { source: 'start', target: 'pause' },
        { source: 'pause', target: 'no' },
      ],
    };
    const id = await startIn(other, await seedWorkflow(db, definition));
    await until(async () => (await run(id)).status === 'failed', 'the end');
    const started = () => db.execution.findFirstOrThrow({ where: { parentExecutionId: id } });
    await until(async () => (await started()).status === 'stopped', 'the stop of the other run');
    expect(await db.wait.count({ where: { executionId: id, kind: 'workflow', answeredAt: null } })).toBe(0);
  });

  it('that calls itself again and again comes to an end', async () => {
    const call = (workflowId: string) => chain({ id: 'call', type: 'workflow', parameters: { workflowId } });
    const self = await seedWorkflow(db, call(uuidv7()));
    await db.workflowVersion.updateMany({
      where: { workflowId: self.workflowId },
      data: { definition: call(self.workflowId) },
    });
    await queue.add([{ workspaceId: 'w', executionId: await self.accept(), dispatch: 1 }]);
    const runs = () => db.execution.findMany({ where: { workflowId: self.workflowId }, orderBy: { depth: 'asc' } });
    await until(async () => (await runs())[0]?.status === 'failed', 'the end');
    expect((await runs()).map(({ depth, status }) => ({ depth, status }))).toEqual(
      Array.from({ length: 11 }, (_, depth) => ({ depth, status: 'failed' })),
    );
    expect((await runs()).at(-1)?.error).toContain('WORKFLOW_NOT_STARTED');
  });

  it('fails when there is no such workflow', async () => {
    const other = await child();
    const id = await startParent({ workflowId: uuidv7(), workspaceId: other.workspaceId });
    await until(async () => (await run(id)).status === 'failed', 'the end');
    expect((await run(id)).error).toContain('WORKFLOW_NOT_STARTED');
  });
});
