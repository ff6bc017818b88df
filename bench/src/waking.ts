import { FOUR_NODES, saveWorkflow } from './workflows.ts';
import { waitUntil } from './runs.ts';
import { post, type Stack } from './stack.ts';
import { quantile } from './suite/times.ts';

const TIMES = 60;
/** Iterations of the loop that runs a sub-workflow, as in the aims. */
const ITERATIONS = 20;
const WAIT_SECONDS = 0.2;

/** How long something takes at rest, in ms. */
export interface WakingRow {
  readonly what: string;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Measures, one run at a time, how soon a run that rests continues: from the end of its wait to the end of the run. A
 * run of four nodes, and one that runs another, from POST to finished, are measured beside.
 */
export async function measureWaking(stack: Stack): Promise<WakingRow[]> {
  const start = { id: 'start', type: 'trigger.manual' };
  const save = (name: string, node?: object): Promise<string> =>
    saveWorkflow(stack, name, {
      nodes: [start, ...(node ? [{ id: 'rest', ...node }] : [])],
      edges: node ? [{ source: 'start', target: 'rest' }] : [],
    });
  const empty = await save('empty');
  const four = await saveWorkflow(stack, 'four nodes', FOUR_NODES);
  const child = await save('sub-workflow', { type: 'workflow', parameters: { workflowId: empty } });
  const approval = await save('approval', { type: 'approval', parameters: { message: 'Well?' } });
  const event = await save('event', { type: 'wait.event', parameters: { name: 'woken', key: '{{ $trigger.key }}' } });
  const wait = await save('wait', { type: 'wait', parameters: { seconds: WAIT_SECONDS } });
  const loop = await saveWorkflow(stack, 'loop', {
    nodes: [
      start,
      { id: 'each', type: 'loop', parameters: { items: '{{ $trigger.numbers }}' } },
      { id: 'rest', type: 'workflow', parameters: { workflowId: empty } },
    ],
    edges: [
      { source: 'start', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'rest' },
    ],
  });

  const wholeRun = (workflowId: string, input: object) => async (): Promise<number> => {
    const sentAt = performance.now();
    await untilFinished(stack, await execute(stack, workflowId, input));
    return performance.now() - sentAt;
  };
  const answered = (workflowId: string, answer: (executionId: string, key: string) => Promise<unknown>) => async () => {
    const key = String(Math.random());
    const executionId = await execute(stack, workflowId, { key });
    await waitUntil(async () => (await openWait(stack, executionId)) !== null, 'the wait');
    const finished = untilFinished(stack, executionId);
    // The stream has begun to follow the run.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const sentAt = performance.now();
    await answer(executionId, key);
    await finished;
    return performance.now() - sentAt;
  };
  const { workspaceId } = stack;
  const rows: WakingRow[] = [
    await measure('run of four nodes, POST to finished', wholeRun(four, { amount: 45, quantity: 3 })),
    await measure('run with a sub-workflow of no nodes, POST to finished', wholeRun(child, {})),
    await measure(
      'approval, POST to finished',
      answered(approval, (executionId) =>
        send(stack, '/api/approvals/submit', { executionId, nodeId: 'rest', approved: true }),
      ),
    ),
    await measure(
      'event, POST to finished',
      answered(event, (_, key) => send(stack, '/api/events', { workspaceId, name: 'woken', key })),
    ),
    await measure('wait, from its time to finished', async () => {
      const executionId = await execute(stack, wait, {});
      await untilFinished(stack, executionId);
      const { finishedAt } = await stack.db.execution.findUniqueOrThrow({ where: { id: executionId } });
      const { dueAt } = await stack.db.wait.findFirstOrThrow({ where: { executionId } });
      return Number(finishedAt) - Number(dueAt);
    }),
  ];
  return [...rows, await measureGaps(stack, loop)];
}

/** Measures the times between the starts of a sub-workflow in a loop. */
async function measureGaps(stack: Stack, workflowId: string): Promise<WakingRow> {
  const gaps: number[] = [];
  for (let time = 0; time <= TIMES / ITERATIONS; time += 1) {
    const executionId = await execute(stack, workflowId, { numbers: Array.from({ length: ITERATIONS }, (_, n) => n) });
    await untilFinished(stack, executionId);
    const rows = await stack.db.nodeIteration.findMany({
      where: { executionId, nodeId: 'rest' },
      select: { startedAt: true },
      orderBy: { startedAt: 'asc' },
    });
    if (time === 0) continue;
    rows.slice(1).forEach((row, index) => gaps.push(Number(row.startedAt) - Number(rows[index]?.startedAt)));
  }
  return toRow(`sub-workflow, ${ITERATIONS} in a loop, one start to the next`, gaps);
}

/** Repeats a measurement; the first tenth warms up. */
async function measure(what: string, act: () => Promise<number>): Promise<WakingRow> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) times.push(await act());
  return toRow(what, times.slice(TIMES / 10));
}

function toRow(what: string, times: readonly number[]): WakingRow {
  return { what, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

async function execute(stack: Stack, workflowId: string, input: object): Promise<string> {
  const { executionId } = await send<{ executionId: string }>(stack, `/api/workflows/${workflowId}/execute`, { input });
  return executionId;
}

function send<T>(stack: Stack, path: string, body: object): Promise<T> {
  return post<T>(stack.url, path, body, { 'x-api-key': stack.apiKey });
}

/** Follows a run. The stream ends with it. @throws if the run did not succeed. */
async function untilFinished(stack: Stack, executionId: string): Promise<void> {
  const events = await fetch(`${stack.url}/api/executions/${executionId}/events`, {
    headers: { 'x-api-key': stack.apiKey },
  });
  if (!(await events.text()).includes('"status":"success"')) throw new Error(`${executionId} did not succeed`);
}

function openWait({ db }: Stack, executionId: string): Promise<object | null> {
  return db.wait.findFirst({ where: { executionId, answeredAt: null }, select: { nodeId: true } });
}
