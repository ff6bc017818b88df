import type { RunRow } from '../../api/executions.ts';

/** A workflow with failed runs. */
export interface FailingWorkflow {
  readonly workflowId: string;
  readonly workflowName: string | null;
  readonly count: number;
  /** When a run failed last, ISO 8601. */
  readonly lastAt: string;
}

/** Returns the workflows of failed runs, those with the most first. */
export function byWorkflow(runs: readonly RunRow[]): FailingWorkflow[] {
  const groups = Map.groupBy(runs, ({ workflowId }) => workflowId);
  return [...groups]
    .map(([workflowId, of]) => ({
      workflowId,
      workflowName: of[0]?.workflowName ?? null,
      count: of.length,
      lastAt: of.map(({ finishedAt, createdAt }) => finishedAt ?? createdAt).reduce((a, b) => (a > b ? a : b)),
    }))
    .sort((a, b) => b.count - a.count);
}
