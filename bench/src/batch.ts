import { freeze, thaw } from './freeze.ts';
import { waitForRuns } from './runs.ts';
import { post, type Stack } from './stack.ts';
import { median } from './suite/times.ts';
import { FOUR_NODES, saveWorkflow } from './workflows.ts';

const RUNS = 10_000;
const ITEMS = 1_000;

/** How long it takes until 10,000 runs are accepted, in seconds: a median. */
export interface BatchFigures {
  readonly label: string;
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Accepts 10,000 runs in batches of 1,000, one batch after another and two at a time, without and with an idempotency
 * key for each, and then the latter once more. No worker takes jobs meanwhile. Throws when a run is missing or doubled.
 */
export async function batch(stack: Stack, repeat: number): Promise<BatchFigures[]> {
  const seconds = new Map<string, number[]>();
  for (let round = 0; round <= repeat; round += 1) {
    for (const connections of [1, 2]) {
      const measure = async (label: string, workflowId: string, keyOf?: (n: number) => string): Promise<void> => {
        const startedAt = performance.now();
        await sendBatches(stack, workflowId, connections, keyOf);
        const took = (performance.now() - startedAt) / 1_000;
        const name = `${connections} ${label}`;
        // The first round warms up.
        if (round > 0) seconds.set(name, [...(seconds.get(name) ?? []), took]);
      };
      const [plain, keyed] = [
        await saveWorkflow(stack, 'batch', FOUR_NODES),
        await saveWorkflow(stack, 'keys', FOUR_NODES),
      ];
      freeze(stack.worker);
      try {
        await measure('without keys', plain);
        await measure('with keys', keyed, (n) => `run-${n}`);
        await measure('repeated', keyed, (n) => `run-${n}`);
      } finally {
        thaw(stack.worker);
      }
      for (const workflowId of [plain, keyed]) {
        await waitForRuns(stack, workflowId);
        const count = await stack.db.execution.count({ where: { workflowId } });
        if (count !== RUNS) throw new Error(`${RUNS} runs were sent, there are ${count}`);
      }
    }
  }
  return [...seconds].map(([name, all]) => ({
    label: name.slice(2),
    connections: Number(name[0]),
    seconds: median(all),
  }));
}

async function sendBatches(
  stack: Stack,
  workflowId: string,
  connections: number,
  keyOf: ((n: number) => string) | undefined,
): Promise<void> {
  const starts = Array.from({ length: RUNS / ITEMS }, (_, n) => n * ITEMS);
  const sendRest = async (): Promise<void> => {
    for (let from = starts.shift(); from !== undefined; from = starts.shift()) {
      const first = from;
      const items = Array.from({ length: ITEMS }, (_, n) => ({
        input: { order: `A-${first + n}`, amount: 45, quantity: 3 },
        ...(keyOf && { idempotencyKey: keyOf(first + n) }),
      }));
      const path = `/api/workflows/${workflowId}/execute/batch`;
      const { accepted } = await post<{ accepted: number }>(stack.url, path, items, { 'x-api-key': stack.apiKey });
      if (accepted !== ITEMS) throw new Error(`${accepted} of ${ITEMS} items were accepted`);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendRest));
}
