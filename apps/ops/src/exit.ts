/**
 * How the command ends: 0 it did all that was asked, or there was nothing to do; 1 it could not, or not all of it; 2 it
 * was asked wrongly (an option, a setting, no answer to a question) and did nothing.
 */
export const EXIT = { done: 0, failed: 1, misused: 2 } as const;

/** Ends the command with a message for the person who gave it, and no stack. */
export class ExitError extends Error {
  override readonly name = 'ExitError';

  readonly exitCode: (typeof EXIT)[keyof typeof EXIT];

  constructor(message: string, exitCode: (typeof EXIT)[keyof typeof EXIT] = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What was asked cannot be understood; nothing was done. */
export function misused(message: string): ExitError {
  return new ExitError(message, EXIT.misused);
}
