import { setTimeout as sleep } from 'node:timers/promises';
import { CircuitState, circuitBreaker, ConsecutiveBreaker, handleAll, isBrokenCircuitError } from 'cockatiel';
import { DeckhandError } from '@deckhand/contracts';
import type { Logger } from '@deckhand/runtime';

/** Refuses new runs while the stores cannot keep them. */
export interface WriteBreaker {
  /** @throws DeckhandError write_circuit_open while the stores do not take writes. */
  readonly check: () => void;
  /** Passes a write through, and probes the stores if it fails or takes long. */
  readonly watch: <T>(write: () => Promise<T>) => Promise<T>;
  /** Probes the stores, because the caller saw something odd. */
  suspect(): void;
  isOpen(): boolean;
  close(): void;
}

/** A write that takes longer than this triggers a probe, in ms. */
const SLOW_WRITE_MS = 2_000;
/** Number of probes in a row that must fail before the breaker opens. */
const FAILURES_TO_OPEN = 2;
/** Interval between probes, in ms. */
const PROBE_INTERVAL_MS = 250;

/**
 * Creates the circuit breaker of a process. Only the probe opens and closes it. A write that fails or hangs may have
 * reasons of its own, such as a busy pool, so it only triggers a probe.
 * @param probe writes to the stores; rejects while one of them takes no writes.
 */
export function createWriteBreaker({ probe, logger }: { probe: () => Promise<void>; logger: Logger }): WriteBreaker {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: PROBE_INTERVAL_MS,
    breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
  });
  breaker.onBreak(() => logger.error('stopped accepting new runs: the stores do not take writes'));
  breaker.onReset(() => logger.info('resumed accepting new runs'));
  let isProbing = false;
  let isClosed = false;
  const isOpen = (): boolean => breaker.state !== CircuitState.Closed;

  async function probeUntilHealthy(): Promise<void> {
    let failures = 0;
    do {
      try {
        await breaker.execute(probe);
        failures = 0;
      } catch (err) {
        if (!isBrokenCircuitError(err)) logger.warn({ err }, 'failed to probe the stores');
        failures += 1;
      }
      if (failures > 0) await sleep(PROBE_INTERVAL_MS, undefined, { ref: false });
    } while (!isClosed && failures > 0);
  }

  function suspect(): void {
    if (isProbing || isClosed) return;
    isProbing = true;
    void probeUntilHealthy().finally(() => {
      isProbing = false;
    });
  }

  return {
    check() {
      if (isOpen()) {
        throw new DeckhandError('write_circuit_open');
      }
    },
    async watch(write) {
      const slow = setTimeout(suspect, SLOW_WRITE_MS);
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
