import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MainThreadSample, SAMPLE_EXPRESSION } from './run-context.ts';

/** Time limit for an exit by the main thread itself, in ms: on a busy machine, it takes more than a second. */
const EXIT_LIMIT_MS = 3_000;

/**
 * Evaluates expressions in the main thread while its event loop is blocked, by interrupting it with the inspector.
 * JavaScript and regular expressions can be interrupted, native code cannot.
 */
export interface MainThreadProbe {
  /**
   * Samples the main thread. Resolves when it can be interrupted, with undefined if the probe was disconnected before
   * that; undefined at once while another sample is pending.
   */
  sample(): Promise<MainThreadSample | undefined>;
  /** Detaches the inspector. A pending sample resolves with undefined. */
  disconnect(): void;
  /** Ends the process with this exit code, or with SIGKILL if the main thread cannot be interrupted. */
  exit(code: number): Promise<void>;
}

/** Creates the probe. It attaches the inspector with the first sample only, so that it costs nothing until then. */
export function createMainThreadProbe(): MainThreadProbe {
  let session: Session | undefined;
  let isAsking = false;

  async function evaluate(expression: string): Promise<unknown> {
    if (!session) {
      session = new Session();
      session.connectToMainThread();
    }
    const { result } = await session.post('Runtime.evaluate', { expression });
    return result.value;
  }

  return {
    async sample() {
      if (isAsking) return undefined;
      isAsking = true;
      try {
        const value = await evaluate(SAMPLE_EXPRESSION);
        return typeof value === 'string' ? parseOwnSample(value) : undefined;
      } catch {
        // The probe was disconnected meanwhile.
        return undefined;
      } finally {
        isAsking = false;
      }
    },
    disconnect() {
      session?.disconnect();
      session = undefined;
      isAsking = false;
    },
    async exit(code) {
      evaluate(`process.exit(${code})`).catch(() => undefined);
      await sleep(EXIT_LIMIT_MS);
      process.kill(process.pid, 'SIGKILL');
    },
  };
}

function parseOwnSample(json: string): MainThreadSample {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- SAMPLE_EXPRESSION returns one
  const sample: MainThreadSample = JSON.parse(json);
  return sample;
}
