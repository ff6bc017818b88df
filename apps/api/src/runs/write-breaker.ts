import { setTimeout as sleep } from 'node:timers/promises';
import { CircuitState, circuitBreaker, ConsecutiveBreaker, handleAll, isBrokenCircuitError } from 'cockatiel';
import { DeckhandError } from '@deckhand/contracts';
import type { Logger } from '@deckhand/runtime';

/** Keeps new runs out while they could not be kept. */
export interface WriteBreaker {
  /** @throws DeckhandError write_circuit_open while the stores do not take writes. */
  readonly check: () => void;
  /** Lets a write go on as it will, and looks closer at the stores when it fails or takes long. */
  readonly watch: <T>(write: () => Promise<T>) => Promise<T>;
  /** Looks closer at the stores: something about them was odd. */
  suspect(): void;
  isOpen(): boolean;
  close(): void;
}

/** A write that takes longer than this makes the breaker look, in ms. */
const SLOW_MS = 2_000;
/** Probes in a row that must fail before the breaker opens, and the pause between probes, in ms. */
const FAILURES = 2;
const PROBE_INTERVAL_MS = 250;

/**
 * Creates the breaker of a process. Only the probe opens and closes it: a write that fails or hangs may have reasons of
 * its own, such as a busy pool, and gives no more than the occasion to look.
 * @param probe writes to the stores; rejects while one of them takes no writes.
 */
export function createWriteBreaker({ probe, logger }: { probe: () => Promise<void>; logger: Logger }): WriteBreaker {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: PROBE_INTERVAL_MS,
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  breaker.onBreak(() => logger.error('new runs are refused: the stores do not take writes'));
  breaker.onReset(() => logger.info('new runs are taken again'));
  let isLooking = false;
  let isClosed = false;
  const isOpen = (): boolean => breaker.state !== CircuitState.Closed;

  async function look(): Promise<void> {
    let failures = 0;
    do {
      try {
        await breaker.execute(probe);
        failures = 0;
      } catch (err) {
        if (!isBrokenCircuitError(err)) logger.warn({ err }, 'a probe of the stores failed');
        failures += 1;
      }
      if (failures > 0) await sleep(PROBE_INTERVAL_MS, undefined, { ref: false });
    } while (!isClosed && failures > 0);
  }

  function suspect(): void {
    if (isLooking || isClosed) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }

  return {
    check() {
      if (isOpen()) {
        throw new DeckhandError('write_circuit_open');
      }
    },
    async watch(write) {
      const slow = setTimeout(suspect, SLOW_MS);
      try {
        return await write();
      } catch (error) {
        suspect();
        throw error;
      } finally {
        clearTimeout(slow);
      }
    },
    suspect,
    isOpen,
    close() {
      isClosed = true;
    },
  };
}
