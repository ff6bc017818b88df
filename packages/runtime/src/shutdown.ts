import closeWithGrace from 'close-with-grace';
import type { Logger } from './logger.ts';

/**
 * Runs `close` once on SIGTERM, SIGINT or an uncaught error, then exits: 0 after a signal, 1 after an error.
 * @param survives handles an uncaught error or rejection, and returns true if the process may continue. Called in the
 *   async context that threw. Without it, every such error ends the process.
 * @param graceMs how long `close` may take before the process exits anyway.
 */
export function onShutdown(options: {
  logger: Logger;
  graceMs: number;
  survives?: (error: unknown) => boolean;
  close: () => Promise<void>;
}): void {
  const { logger, graceMs, survives, close } = options;
  let fatal: { error: unknown } | undefined;
  const skip = survives ? (['uncaughtException', 'unhandledRejection'] as const) : [];
  const closing = closeWithGrace({ delay: graceMs, logger: false, skip: [...skip] }, async ({ err, signal }) => {
    const cause = err ? { error: err } : fatal;
    if (cause) logger.fatal({ err: cause.error }, 'stopping after an uncaught error');
    else logger.info({ signal }, 'stopping');
    await close();
    // Exits with 1.
    if (cause) throw cause.error;
  });
  if (!survives) return;
  process.on('uncaughtException', (error) => {
    if (survives(error)) return;
    if (fatal) process.exit(1);
    fatal = { error };
    closing.close();
  });
}
