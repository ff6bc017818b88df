/**
 * Exit codes of the command. `done`: everything succeeded, or there was nothing to do. `failed`: something failed.
 * `misused`: an option or setting is invalid, or a question was not answered; nothing was done.
 */
export const EXIT = { done: 0, failed: 1, misused: 2 } as const;

/** Ends the command with a message and without a stack trace. */
export class ExitError extends Error {
  override readonly name = 'ExitError';

  readonly exitCode: (typeof EXIT)[keyof typeof EXIT];

  constructor(message: string, exitCode: (typeof EXIT)[keyof typeof EXIT] = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Creates the error for an invalid option or setting; nothing was done. */
export function misused(message: string): ExitError {
  return new ExitError(message, EXIT.misused);
}
