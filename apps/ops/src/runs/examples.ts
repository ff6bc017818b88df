import { describeRuns, type Database } from '@deckhand/db';
import { printMessage, table } from '@deckhand/terminal';

/** Number of matching runs that are shown. */
export const EXAMPLES = 5;

/** Prints a few runs as a table, so that a person can check whether they are the intended ones. */
export async function printExamples(db: Database, executionIds: readonly string[]): Promise<void> {
  const runs = await describeRuns(db, executionIds.slice(0, EXAMPLES));
  const lines = table(
    ['run', 'status', 'created', 'workflow', 'workspace'],
    runs.map((run) => [run.executionId, run.status, run.createdAt.toISOString(), run.workflowName, run.workspaceName]),
    'They are deleted by now.',
  );
  for (const line of lines) printMessage(line);
}
