import { addCommands, createRootCommand } from '@deckhand/terminal';
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { applyCommand, diffCommand, planCommand, pullCommand } from './commands/files.ts';
import { approveCommand } from './commands/approve.ts';
import { completeCommand, completionCommand } from './commands/completion.ts';
import { connectorsCommand } from './commands/connectors.ts';
import { doctorCommand } from './commands/doctor.ts';
import { filesCommand } from './commands/stored-files.ts';
import { importCommand } from './commands/import.ts';
import { loginCommand, logoutCommand, profilesCommand } from './commands/login.ts';
import { promoteCommand } from './commands/promote.ts';
import { runCommand } from './commands/run.ts';
import { runsCommand } from './commands/runs.ts';
import { secretsCommand } from './commands/secrets.ts';
import { tailCommand } from './commands/tail.ts';
import { testCommand } from './commands/test.ts';
import { typesCommand } from './commands/types.ts';
import { variablesCommand } from './commands/variables.ts';
import { workflowsCommand } from './commands/workflows.ts';
import type { GlobalOptions } from './connection.ts';
import { createContext } from './context.ts';
import type { Environment } from './environment.ts';
import { isObject } from './json.ts';

/** Creates the command line program. */
export function createProgram(environment: Environment): Command {
  const program = createRootCommand('deckhand')
    .description('Starts workflows of a Deckhand instance, follows their runs, and changes what they need.')
    .version(readVersion(), '-V, --version', 'print the version of the command')
    .option('--json', 'print JSON: the responses of the API')
    .option('--profile <name>', 'use a profile of "deckhand login"')
    .option('--url <url>', 'use another instance than the one of the profile or of DECKHAND_URL')
    .option('--workspace <workspace>', 'the id or exact name of the workspace; needed if the key can access several')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 failed; 2 wrong use; 3 not signed in or not allowed; 4 not found; 5 unavailable; of a followed ' +
        'run: 10 failed, 11 timeout, 12 stopped; 124 --timeout passed; 130 Ctrl+C.\n' +
        'Results go to the standard output, messages and progress to the standard error.',
    );
  const context = createContext(environment, () => program.opts<GlobalOptions>());
  addCommands(program, [
    loginCommand(context),
    logoutCommand(context),
    profilesCommand(context),
    workflowsCommand(context),
    runCommand(context),
    runsCommand(context),
    tailCommand(context),
    filesCommand(context),
    approveCommand(context),
    secretsCommand(context),
    variablesCommand(context),
    connectorsCommand(context),
    pullCommand(context),
    diffCommand(context),
    planCommand(context),
    applyCommand(context),
    promoteCommand(context),
    testCommand(context),
    typesCommand(context),
    importCommand(context),
    doctorCommand(context),
    completionCommand(),
  ]);
  program.addCommand(completeCommand(program), { hidden: true });
  return program;
}

/** Returns the version of this package. */
function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return isObject(manifest) && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
