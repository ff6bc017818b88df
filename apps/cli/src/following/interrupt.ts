import { EXIT, ExitError } from '@deckhand/terminal';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs something that lasts until it is done or the person presses Ctrl+C. A second Ctrl+C ends the process at once.
 * @param message says what continues.
 * @throws ExitError after Ctrl+C.
 */
export async function untilInterrupted<T>(message: string, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const onSignal = (): void => {
    forget();
    interrupted.abort(new ExitError(message, EXIT.interrupted));
  };
  const forget = (): void => SIGNALS.forEach((name) => process.off(name, onSignal));
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    return await act(interrupted.signal);
  } finally {
    forget();
  }
}
