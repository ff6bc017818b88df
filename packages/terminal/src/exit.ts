/**
 * Exit codes of all commands; operators' commands use the first three. They are part of the interface: docs/cli.md
 * explains them, and they never change their meaning.
 */
export const EXIT = {
  done: 0,
  /** The request was refused, the command could not do all of it, or what it checked is not so. */
  failed: 1,
  /** An argument, option or setting is invalid or missing; nothing was done. */
  misused: 2,
  /** No key, one that is not valid, or one that may not do this. */
  refused: 3,
  notFound: 4,
  /** The instance cannot be reached, or cannot do this now: try again later. */
  unavailable: 5,
  runFailed: 10,
  runTimedOut: 11,
  runStopped: 12,
  /** `--timeout` passed; the run continues. As of timeout(1). */
  timedOut: 124,
  /** Ctrl+C; a run that was followed continues. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with a message of one line and without a stack trace. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Creates the error for an invalid argument, option or setting; nothing was done. */
export function misused(message: string): ExitError {
  return new ExitError(message, EXIT.misused);
}
