import { SettingsError } from '@deckhand/runtime';
import { CommanderError } from 'commander';
import { EXIT, ExitError } from './exit.ts';
import { createProgram } from './program.ts';
import { printMessage } from './terminal/output.ts';

/** Runs the command. @returns its exit code, unless one is set already. */
async function main(): Promise<number | undefined> {
  try {
    await createProgram().parseAsync();
    return undefined;
  } catch (error) {
    // Commander has already printed the error, or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
    if (error instanceof SettingsError) return fail(error.message, EXIT.misused);
    if (error instanceof ExitError) return fail(error.message, error.exitCode);
    return fail(`Failed: ${error instanceof Error ? error.message : String(error)}`, EXIT.failed);
  }
}

function fail(message: string, exitCode: number): number {
  printMessage(message);
  return exitCode;
}

void main().then((exitCode) => {
  if (exitCode !== undefined) process.exitCode = exitCode;
});
