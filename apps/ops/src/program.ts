import { addCommands, createRootCommand } from '@deckhand/terminal';
import type { Command } from 'commander';
import { archiveCommand } from './commands/archive.ts';
import { drainCommand } from './commands/drain.ts';
import { fleetCommand } from './commands/fleet.ts';
import { queueCommand } from './commands/queue.ts';
import { requeueCommand } from './commands/requeue.ts';
import { rotateKeysCommand } from './commands/rotate-keys.ts';
import { stopCommand } from './commands/stop.ts';
import { usersCommand } from './commands/users.ts';

/** Creates the command line program. */
export function createProgram(): Command {
  const program = createRootCommand('ops')
    .description(
      'Inspects and repairs an instance through its stores (DATABASE_URL, REDIS_URL). It works while the API is ' +
        'down, and needs no session: anyone with the URLs of the stores may use it.',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 done, or nothing to do; 1 not done, or not all of it; 2 asked wrongly, nothing was done.\n' +
        'Answers go to the standard output, questions and progress to the standard error.',
    );
  addCommands(program, [
    fleetCommand(),
    queueCommand(),
    drainCommand(),
    requeueCommand(),
    stopCommand(),
    rotateKeysCommand(),
    usersCommand(),
    archiveCommand(),
  ]);
  return program;
}
