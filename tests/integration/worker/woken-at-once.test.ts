import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  callWithKey,
  createWorkflow,
  type Instance,
  recoveredRuns,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';
import { runs } from '../../harness/random.ts';

/** Times that a run of each kind rests and is woken at once. */
const TIMES = runs(25, 100);

let instance: Instance;
let worker: Awaited<ReturnType<typeof startTestWorker>>;

beforeAll(async () => {
  instance = await startInstance();
  worker = await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const start = { id: 'start', type: 'trigger.manual' };
const numbers = Array.from({ length: TIMES }, (_, index) => index);

/** Starts a run that makes a node in a loop. @returns the id of the run. */
async function startLoop(concurrency: number, node: { readonly type: string; readonly parameters: object }) {
  const workflowId = await createWorkflow(instance, {
    nodes: [
      start,
      { id: 'each', type: 'loop', parameters: { items: '{{ $trigger.numbers }}', concurrency } },
      { id: 'rest', ...node },
    ],
    edges: edges('start -> each', 'each.body -> rest'),
  });
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, {
    input: { numbers, mark: concurrency },
  });
  return body.executionId;
}

async function finished(id: string): Promise<void> {
  const read = async () => (await call('GET', `/api/executions/${id}`)).body;
  await until(async () => (await read()).finishedAt !== null, 'the end of the run');
  expect((await read()).error).toBeNull();
}

/** Answers each approval of a run as soon as it is asked. */
async function answerAll(executionId: string): Promise<void> {
  for (let answered = 0; answered < TIMES;) {
    const open = await instance.db.wait.findMany({ where: { executionId, answeredAt: null } });
    await Promise.all(
      open.map(({ nodeId, iteration }) =>
        call('POST', '/api/approvals/submit', { executionId, nodeId, iteration, approved: true }),
      ),
    );
    answered += open.length;
  }
}

describe.each([1, 4])('a run with %s iterations at once that rests and is woken at once', (concurrency) => {
  afterAll(async () => expect(await recoveredRuns(worker.registry)).toEqual({}));

  it('is woken by the ends of children', async () => {
    const child = await createWorkflow(instance, { nodes: [start], edges: [] });
    await finished(await startLoop(concurrency, { type: 'workflow', parameters: { workflowId: child } }));
  });

  it('is woken by time', async () => {
    await finished(await startLoop(concurrency, { type: 'wait', parameters: { seconds: 0.001 } }));
  });

  it('is woken by answers', async () => {
    const id = await startLoop(concurrency, { type: 'approval', parameters: { message: 'Well?' } });
    await answerAll(id);
    await finished(id);
  });

  it('is woken by events', async () => {
    const parameters = { name: 'woken', key: '{{ $loop.item }} of {{ $trigger.mark }}', lookbackSeconds: 0 };
    const id = await startLoop(concurrency, { type: 'wait.event', parameters });
    const { workspaceId } = instance;
    for (const sent = new Set<string>(); sent.size < TIMES;) {
      const open = await instance.db.wait.findMany({ where: { executionId: id, answeredAt: null } });
      const keys = open.flatMap(({ eventKey: key }) => (key === null || sent.has(key) ? [] : [key]));
      await Promise.all(keys.map((key) => call('POST', '/api/events', { workspaceId, name: 'woken', key })));
      for (const key of keys) sent.add(key);
    }
    await finished(id);
  });
});
