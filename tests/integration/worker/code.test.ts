import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableParallelism } from 'node:os';
import {
  callWithKey,
  chain,
  createWorkflow,
  expectWithin,
  type Instance,
  itInTime,
  promised,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
});
afterAll(stopAll);

/** More scripts than a worker has threads. */
const MANY = Math.max(2, availableParallelism() - 1) + 2;
/** One that the sandbox interrupts, and one that only ending its thread does. */
const ENDLESS = ['for (;;);', 'return new Array(2 ** 32 - 1).join("x").length'];

/** The longest limit of a script: these run until they are stopped, also on a slow machine. */
const LONG = { timeoutSeconds: 60 };
/** Time limit of other scripts, in ms. */
const LIMIT_MS = 1_000;

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;

async function execute(definition: object, body: object = {}): Promise<string> {
  const id = await createWorkflow(instance, definition);
  return (await call('POST', `/api/workflows/${id}/execute`, body)).body.executionId;
}

const script = (source: string, more: object = {}) =>
  chain({ id: 'code', type: 'code', parameters: { source }, ...more });

const ended = (id: string) =>
  until(async () => {
    const run = await read(id);
    return ['success', 'failed', 'stopped', 'timeout'].includes(run.status) ? run : undefined;
  }, `the end of ${id}`);

const running = (id: string) =>
  until(async () => (await read(id)).progress.code!.status === 'running', `the script of ${id}`);

describe('a worker with hostile scripts on all its threads', () => {
  itInTime('continues with other runs and with its heartbeat, and fails each for its own reason', async () => {
    const startAll = (more: object = {}) =>
      Promise.all(Array.from({ length: MANY }, (_, n) => execute(script(ENDLESS[n % 2] ?? '', more))));
    const endless = await startAll(LONG);
    await Promise.all(endless.map(running));
    const others = await Promise.all(
      Array.from({ length: 30 }, (_, n) => execute(chain({ id: 'a', type: 'set', parameters: { fields: { n } } }))),
    );
    for (const id of others) expect(await ended(id)).toMatchObject({ status: 'success' });
    // The hostile scripts are still running, and the worker is as responsive as before.
    expect((await Promise.all(endless.map(read))).map(({ status }) => status)).toContain('running');
    const { body: fleet } = await call('GET', '/api/monitoring/fleet');
    expect(fleet.workers).toMatchObject({ live: 1, consuming: 1 });

    await Promise.all(endless.map((id) => call('POST', `/api/executions/${id}/stop`)));

    const took: number[] = [];
    for (const id of await startAll({ timeoutSeconds: LIMIT_MS / 1_000 })) {
      const run = await ended(id);
      expect(run).toMatchObject({ status: 'failed', error: { nodeId: 'code', code: 'NODE_TIMEOUT' } });
      const { startedAt, finishedAt } = run.progress.code!;
      took.push(Date.parse(finishedAt!) - Date.parse(startedAt!));
    }
    const bomb = await execute(script('const a = []; for (;;) a.push(new Array(1000).fill(1))'));
    expect(await ended(bomb)).toMatchObject({ status: 'failed', error: { nodeId: 'code', code: 'CODE_LIMIT' } });
    expect(await ended(await execute(script('return 1 + 1')))).toMatchObject({
      status: 'success',
      progress: { code: { status: 'success', output: 2, attempts: 1 } },
    });
    const { what, ms } = promised('a script never ends', 'at most 2 s');
    expectWithin({ what, ms: LIMIT_MS + ms }, Math.max(...took));
  });

  itInTime('ends them when their runs are stopped', async () => {
    const endless = await Promise.all(
      Array.from({ length: MANY }, (_, n) => execute(script(ENDLESS[n % 2] ?? '', LONG))),
    );
    await Promise.all(endless.map(running));
    const before = performance.now();
    const stops = await Promise.all(endless.map((id) => call('POST', `/api/executions/${id}/stop`)));
    expect(stops.map(({ status }) => status)).toEqual(endless.map(() => 200));
    // A script that needs one of the threads gets it, long before the others' own time would be up.
    const next = await ended(await execute(script('return "free"')));
    const passed = performance.now() - before;
    expect(next).toMatchObject({ status: 'success', progress: { code: { output: 'free' } } });
    for (const id of endless) {
      expect(await read(id)).toMatchObject({ status: 'stopped', progress: { code: { status: 'stopped' } } });
    }
    expectWithin({ what: 'a thread is free after its script was stopped', ms: 0 }, passed);
  });
});

describe('a workflow with code', () => {
  it('is refused when its source has an issue, naming the place', async () => {
    const { body } = await call('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Broken',
      definition: script('const a = 1;\nreturn a +;'),
    });
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [
        {
          path: expect.stringContaining('nodes[1].parameters.source'),
          message: 'not JavaScript: unexpected token (line 2, column 11)',
        },
      ],
    });
  });

  it('keeps its console lines in debug mode', async () => {
    const id = await execute(script('console.log("seen", $trigger.n); return $trigger.n * 2'), {
      input: { n: 21 },
      executionMode: 'debug',
    });
    expect(await ended(id)).toMatchObject({ status: 'success', progress: { code: { output: 42 } } });
    const row = await instance.db.nodeRun.findUniqueOrThrow({
      where: { executionId_nodeId: { executionId: id, nodeId: 'code' } },
    });
    expect(JSON.parse(row.debug ?? 'null')).toMatchObject({ input: { n: 21 }, console: ['seen 21'] });
  });
});
