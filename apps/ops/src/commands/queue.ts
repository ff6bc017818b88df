import { countHeldBack, countUnfinished, readOldestWaitingSeconds } from '@deckhand/db';
import { Command } from 'commander';
import { withStores } from '../open-stores.js';
import { print } from '../terminal/output.js';
import { duration, table } from '../terminal/table.js';

/** Creates `queue`, which shows the waiting jobs and their age. */
export function queueCommand(): Command {
  return new Command('queue')
    .summary('how deep the queue is, how long the oldest run waits, unfinished runs by status')
    .description(
      'Jobs are what stands in Redis, runs what stands in PostgreSQL, which is the truth. Some hundred runs `pending` with no ' +
        'jobs waiting means that jobs were lost: any live worker finds them within seconds, `requeue` does so at once.',
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
      print(json, answer, () =>
        [
          table(['jobs', 'number'], Object.entries(answer.jobs)),
          '',
          table(['runs', 'number'], Object.entries(answer.runs)),
          `(${answer.heldBack} of them wait for others to end, because of a limit of runs at once)`,
          '',
          `the run that waits for a worker longest has waited ${duration(answer.oldestWaitingSeconds)}`,
        ].join('\n'),
      );
    });
}
