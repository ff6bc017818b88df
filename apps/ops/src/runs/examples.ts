import { describeRuns, type Database } from '@deckhand/db';
import { table } from '../terminal/table.js';

/** How many runs are shown of those that fit. */
export const EXAMPLES = 5;

/** A few runs as a table, for a person to see whether those are the ones meant. */
export async function showExamples(db: Database, executionIds: readonly string[]): Promise<string> {
  const runs = await describeRuns(db, executionIds.slice(0, EXAMPLES));
  return table(
    ['run', 'status', 'created', 'workflow', 'workspace'],
    runs.map((run) => [run.executionId, run.status, run.createdAt.toISOString(), run.workflowName, run.workspaceName]),
  );
}
