import { countHeldBack, countUnfinished, readOldestWaitingSeconds } from '@deckhand/db';
import { durationText, printResult, table } from '@deckhand/terminal';
import { Command } from 'commander';
import { withStores } from '../open-stores.ts';

/** Creates `queue`, which shows the waiting jobs and their age. */
export function queueCommand(): Command {
  return new Command('queue')
    .summary('queue depth, waiting time of the oldest run, unfinished runs by status')
    .description(
      'Jobs are in Redis, runs in PostgreSQL, which is the source of truth. If many runs are `pending` and no job waits, ' +
        'jobs were lost: any live worker finds their runs within seconds, `requeue` at once.',
    )
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: boolean }) => {
      const answer = await withStores(async ({ db, queue }) => {
        const [jobs, oldest, runs, heldBack] = await Promise.all([
          queue.counts(),
          readOldestWaitingSeconds(db),
          countUnfinished(db),
          countHeldBack(db),
        ]);
        return { jobs, oldestWaitingSeconds: oldest, runs, heldBack };
      });
      printResult(json, answer, () => [
        ...table(['jobs', 'number'], Object.entries(answer.jobs), ''),
        '',
        ...table(['runs', 'number'], Object.entries(answer.runs), ''),
        `(${answer.heldBack} of them are held back by a limit of concurrent runs)`,
        '',
        `the oldest run that waits for a worker has waited for ${durationText(answer.oldestWaitingSeconds * 1_000)}`,
      ]);
    });
}
