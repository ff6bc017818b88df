import closeWithGrace from 'close-with-grace';
import type { Logger } from './logger.js';

/**
 * Runs `close` once on SIGTERM, SIGINT or an uncaught error, then exits: 0 after a signal, 1 after an error.
 * @param graceMs how long `close` may take before the process exits anyway.
 */
export function onShutdown(options: { logger: Logger; graceMs: number; close: () => Promise<void> }): void {
  closeWithGrace({ delay: options.graceMs, logger: false }, async ({ err, signal }) => {
    if (err) options.logger.fatal({ err }, 'stopping after an uncaught error');
    else options.logger.info({ signal }, 'stopping');
    await options.close();
  });
}
