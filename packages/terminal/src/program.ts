import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode, ExitError } from './exit.ts';
import { clean, render, toJson } from './text.ts';

/** How a command failed. `message` is one line that names what to do; `--json` prints all members. */
export interface Failure {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** Creates a command to which others are added. It throws instead of ending the process. */
export function createRootCommand(name: string): Command {
  return new Command(name)
    .exitOverride()
    .showHelpAfterError('See --help.')
    .usage('<command> [options]')
    .configureOutput({
      // Arguments may come from elsewhere, and errors repeat them.
      writeErr: (text) => process.stderr.write(text.split('\n').map(clean).join('\n')),
    });
}

/** Adds commands, and gives each, and those below it, the settings of the one above. */
export function addCommands(parent: Command, commands: readonly Command[]): void {
  for (const command of commands) {
    parent.addCommand(command.copyInheritedSettings(parent));
    for (const inner of command.commands) inner.copyInheritedSettings(command);
  }
}

/** Describes an error that is not about a store or an instance. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ExitError) return { message: error.message, exitCode: error.exitCode };
  return { message: `Failed: ${error instanceof Error ? error.message : String(error)}`, exitCode: EXIT.failed };
}

/**
 * Runs the command that the arguments of the process name. Prints why it failed, and sets the exit code.
 * @param describe describes what a command threw.
 */
export async function runCommands(program: Command, describe: (error: unknown) => Failure): Promise<void> {
  // The reader of the output may stop early, as `head` does. What a run came to still decides the exit code.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) =>
      process.exit(error.code === 'EPIPE' ? (process.exitCode ?? EXIT.done) : EXIT.failed),
    );
  }
  try {
    await program.parseAsync();
  } catch (error) {
    // Commander has already printed the error, or the requested help.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.misused;
    else {
      const failure = describe(error);
      printFailure(failure, program.opts<{ json?: boolean }>().json === true);
      process.exitCode = failure.exitCode;
    }
  }
}

function printFailure({ message, ...rest }: Failure, isJson: boolean): void {
  const line = isJson ? toJson({ error: message, ...rest }) : render({ text: message, style: 'red' }, process.stderr);
  process.stderr.write(`${line}\n`);
}
