import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MainThreadSample, SAMPLE_EXPRESSION } from './run-context.js';

/** How long the main thread may take to exit when it is told to, in ms. */
const EXIT_LIMIT_MS = 1_000;

/**
 * Has the main thread evaluate something although its event loop is blocked: JavaScript and regular expressions can be
 * interrupted.
 */
export interface MainThreadProbe {
  /** Returns what the main thread does; undefined while it runs native code, which cannot be interrupted. */
  sample(): Promise<MainThreadSample | undefined>;
  /** Leaves the main thread alone. A sample that was asked for and not answered stays undefined. */
  disconnect(): void;
  /** Ends the process with this exit code, or with SIGKILL where the main thread cannot be interrupted. */
  exit(code: number): Promise<void>;
}

/** Creates it. It connects with the first sample: no debugger is attached while all is well. */
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
        // It was disconnected meanwhile.
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
  // eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- SAMPLE_EXPRESSION gives one
  const sample: MainThreadSample = JSON.parse(json);
  return sample;
}
