import { SettingsError } from '@deckhand/runtime';
import { describeFailure, EXIT, runCommands } from '@deckhand/terminal';
import { createProgram } from './program.ts';

void runCommands(createProgram(), (error) =>
  error instanceof SettingsError ? { message: error.message, exitCode: EXIT.misused } : describeFailure(error),
);
