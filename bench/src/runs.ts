import type { Stack } from './stack.ts';

const TIMEOUT_MS = 300_000;
const POLL_MS = 25;

/** Waits until no run of a workflow is left to do. */
export async function waitForRuns({ db }: Stack, workflowId: string): Promise<void> {
  const where = { workflowId, finishedAt: null };
  await waitUntil(async () => (await db.execution.findFirst({ where, select: { id: true } })) === null, 'the last run');
}

/** Runs of a workflow, by how they ended. */
export async function countRuns({ db }: Stack, workflowId: string): Promise<{ all: number; succeeded: number }> {
  return {
    all: await db.execution.count({ where: { workflowId } }),
    succeeded: await db.execution.count({ where: { workflowId, status: 'success' } }),
  };
}

/** Checks repeatedly until it is done. @throws after five minutes. */
export async function waitUntil(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`waited too long for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
