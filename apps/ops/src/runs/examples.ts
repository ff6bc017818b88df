import { describeRuns, type Database } from '@deckhand/db';
import { table } from '../terminal/table.ts';

/** Number of matching runs that are shown. */
export const EXAMPLES = 5;

/** Formats a few runs as a table, so that a person can check whether they are the intended ones. */
export async function showExamples(db: Database, executionIds: readonly string[]): Promise<string> {
  const runs = await describeRuns(db, executionIds.slice(0, EXAMPLES));
  return table(
    ['run', 'status', 'created', 'workflow', 'workspace'],
    runs.map((run) => [run.executionId, run.status, run.createdAt.toISOString(), run.workflowName, run.workspaceName]),
  );
}
