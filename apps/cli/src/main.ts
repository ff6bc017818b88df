#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describeError, type Failure } from './describe-error.ts';
import { readEnvironment } from './environment.ts';
import { EXIT } from './exit.ts';
import { createProgram } from './program.ts';
import { render, toJson } from './terminal/text.ts';

/** Runs the command. @returns its exit code, unless one is set already. */
async function main(): Promise<number | undefined> {
  const program = createProgram(readEnvironment());
  try {
    await program.parseAsync();
    return undefined;
  } catch (error) {
    // Commander has already printed the error, or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
    const failure = describeError(error);
    printFailure(failure, program.opts<{ json?: boolean }>().json === true);
    return failure.exitCode;
  }
}

function printFailure({ message, ...rest }: Failure, isJson: boolean): void {
  const line = isJson ? toJson({ error: message, ...rest }) : render({ text: message, style: 'red' }, process.stderr);
  process.stderr.write(`${line}\n`);
}

// The reader of the output may stop early, as `head` does. What a run came to still decides the exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? (process.exitCode ?? EXIT.done) : EXIT.failed),
  );
}

void main().then((exitCode) => {
  if (exitCode !== undefined) process.exitCode = exitCode;
});
