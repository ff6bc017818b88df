import { withRssPeak } from './rss.ts';
import { chain, loop } from './shapes.ts';
import { post, type Stack } from './stack.ts';
import { saveWorkflow } from './workflows.ts';

/** What nodes cost within one run. */
export interface NodesResult {
  readonly shape: string;
  /** Node runs, all iterations counted. */
  readonly nodes: number;
  /** From the run's start to its finish, checkpoints included, in ms. */
  readonly ms: number;
  readonly microsPerNode: number;
  /** The worker's resident memory, in MB. */
  readonly rssBefore: number;
  readonly rssPeak: number;
}

const CHAIN = 1_000;
const ITERATIONS = 100_000;
const MANY_ITERATIONS = 1_000_000;
const TIMEOUT_MS = 300_000;

/**
 * Runs a chain of pure nodes and long loops, one after another, and reads from the database how long each run took.
 * @param only part of the names of the shapes that are run.
 */
export async function nodes(stack: Stack, repeat: number, only = ''): Promise<NodesResult[]> {
  const results: NodesResult[] = [];
  const items = Array.from({ length: ITERATIONS }, (_, index) => index);
  const shapes = [
    { shape: `chain of ${CHAIN} set nodes`, count: CHAIN, definition: chain(CHAIN), input: {} },
    {
      shape: `loop of ${ITERATIONS}, a set node each`,
      count: ITERATIONS,
      definition: loop({ iterations: ITERATIONS, concurrency: 1 }),
      input: { items },
    },
    {
      shape: 'the same, 20 at a time',
      count: ITERATIONS,
      definition: loop({ iterations: ITERATIONS, concurrency: 20 }),
      input: { items },
    },
    {
      shape: `loop of ${MANY_ITERATIONS}, items of the trigger`,
      count: MANY_ITERATIONS,
      definition: loop({ iterations: MANY_ITERATIONS, concurrency: 1 }),
      input: { items: Array.from({ length: MANY_ITERATIONS }, (_, index) => index) },
    },
    {
      shape: `loop of ${MANY_ITERATIONS}, items of a code node`,
      count: MANY_ITERATIONS,
      definition: loop({ iterations: MANY_ITERATIONS, concurrency: 1, isMade: true }),
      input: {},
    },
  ];
  for (const { shape, count, definition, input } of shapes.filter(({ shape }) => shape.includes(only))) {
    const workflowId = await saveWorkflow(stack, shape, definition);
    for (let i = 0; i < repeat; i += 1) {
      // The first run of a version compiles it, too.
      results.push(await measure(stack, { shape: `${shape}${i === 0 ? ', first' : ''}`, count, workflowId, input }));
    }
  }
  return results;
}

async function measure(
  stack: Stack,
  { shape, count, workflowId, input }: { shape: string; count: number; workflowId: string; input: object },
): Promise<NodesResult> {
  const path = `/api/workflows/${workflowId}/execute`;
  const { value, before, peak } = await withRssPeak(stack.worker.pid, async () => {
    const run = await post<{ executionId: string }>(stack.url, path, { input }, { 'x-api-key': stack.apiKey });
    return waitFor(stack, run.executionId);
  });
  return { shape, nodes: count, ms: value, microsPerNode: (value * 1_000) / count, rssBefore: before, rssPeak: peak };
}

/** @returns how long the run took, in ms. */
async function waitFor(stack: Stack, executionId: string): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const run = await stack.db.execution.findUniqueOrThrow({ where: { id: executionId } });
    if (run.status === 'success' && run.startedAt && run.finishedAt) {
      return run.finishedAt.getTime() - run.startedAt.getTime();
    }
    if (run.finishedAt !== null || performance.now() > deadline)
      throw new Error(`the run is ${run.status}: ${run.error}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
