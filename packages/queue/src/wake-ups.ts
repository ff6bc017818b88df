import { connectRedis, type Redis } from './connect.ts';
import { WAKE_UPS_KEY } from './names.ts';

/** Wake-ups of workers that stand by: one that is busy wakes one of them. */
export interface WakeUps {
  /**
   * Waits for a wake-up, for at most `ms`, up to MAX_WAIT_MS, in one call at a time. @returns whether it came.
   * @throws the error of Redis.
   */
  wait(ms: number): Promise<boolean>;
  /** Wakes one worker that waits. If none does, the next one that waits within a second. @throws the error of Redis. */
  send(): Promise<void>;
  /** Ends a `wait` in progress with an error. */
  close(): void;
}

/** Longest wait for a wake-up, in ms. */
export const MAX_WAIT_MS = 8_000;
/** How long a wake-up for which no worker waits is kept, in ms. */
const KEPT_MS = 1_000;

/** KEYS[1] the list of wake-ups  ARGV[1] how long it is kept, in ms. At most one wake-up is kept. */
const SEND = `
if redis.call('LLEN', KEYS[1]) == 0 then
  redis.call('RPUSH', KEYS[1], '1')
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end`;

/**
 * Creates the wake-ups of a worker. It opens a connection of its own with the first `wait`.
 * @param redis a `producer` connection, which the caller closes.
 * @param options.onError receives errors of the connection.
 */
export function createWakeUps(
  redis: Redis,
  { redisUrl, onError }: { readonly redisUrl: string; readonly onError: (error: Error) => void },
): WakeUps {
  let connection: Redis | undefined;

  function connect(): Redis {
    const opened = connectRedis(redisUrl, { role: 'standby' });
    opened.on('error', onError);
    return opened;
  }

  return {
    async wait(ms) {
      connection ??= connect();
      return (await connection.blpop(WAKE_UPS_KEY, ms / 1_000)) !== null;
    },
    async send() {
      await redis.eval(SEND, 1, WAKE_UPS_KEY, KEPT_MS);
    },
    close() {
      connection?.disconnect();
    },
  };
}
