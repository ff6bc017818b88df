import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isPortFree } from './free-port.ts';
import { bringUp, type BroughtUp } from './start/bring-up.ts';
import { takeLock } from './start/lock.ts';
import { LOOPBACK, readStartSettings, StartSettingsError, type StartSettings } from './start/settings.ts';
import { createStack } from './start/stack.ts';
import { describeStart } from './start/summary.ts';

/** Signals that stop us. SIGHUP means that the terminal was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const SAME_SIGNAL_MS = 1_000;

/** How long the API of a killed start may still occupy its port, in ms. */
const INHERITANCE_MS = 15_000;

/** Why a start ended. */
type End = { readonly signal: NodeJS.Signals } | { readonly fault: string } | 'done';

/**
 * `npm start`: everything from the stores to a finished sample run, then stays until Ctrl-C.
 * @param args `--once` stops after the sample.
 * @returns the exit code: 0 after Ctrl-C, or after a sample that ended well with `--once`.
 */
export async function main(args: string[]): Promise<number> {
  let settings: StartSettings;
  let isOnce: boolean;
  try {
    settings = readStartSettings(process.env);
    isOnce = parseArgs({ args, options: { once: { type: 'boolean', default: false } } }).values.once;
  } catch (error) {
    return complain(error instanceof StartSettingsError ? error.message : `${String(error)} (only --once is known)`);
  }
  const lock = await takeLock(join(settings.folder, 'start.lock'));
  if ('ownerPid' in lock) {
    return complain(`Deckhand is running already in this checkout (process ${lock.ownerPid}): stop that one first.`);
  }
  try {
    if (!(await isPortFreeSoon(settings.port, lock.isInherited ? INHERITANCE_MS : 0))) {
      return complain(`Port ${settings.port} is taken: set PORT to another one, such as PORT=${settings.port + 100}.`);
    }
    return await run(settings, isOnce);
  } finally {
    lock.release();
  }
}

async function run(settings: StartSettings, isOnce: boolean): Promise<number> {
  const stack = createStack();
  const signalled = stopSignal();
  const end = await Promise.race([signalled, upAndRunning(settings, isOnce, stack)]);
  if (end !== 'done' && 'signal' in end) {
    console.log('\nStopping ... (once more to stop at once)');
  }
  if (end !== 'done' && 'fault' in end) console.error(`\n${end.fault}\n`);
  await stack.stop();
  console.log('Stopped.');
  return end !== 'done' && 'fault' in end ? 1 : 0;
}

async function upAndRunning(
  settings: StartSettings,
  isOnce: boolean,
  stack: ReturnType<typeof createStack>,
): Promise<End> {
  let up: BroughtUp;
  try {
    up = await bringUp(settings, stack);
  } catch (error) {
    return { fault: `The start failed: ${describe(error)}` };
  }
  console.log(describeStart({ ...summaryOf(settings, up) }));
  if (isOnce) {
    const { status } = up.execution;
    return status === 'success' ? 'done' : { fault: `The sample ended with ${status}.` };
  }
  console.log('Ctrl-C stops everything.\n');
  // A part that ends is started again; only a signal ends the others.
  return new Promise<never>(() => undefined);
}

function summaryOf(settings: StartSettings, up: BroughtUp): Parameters<typeof describeStart>[0] {
  return {
    url: settings.publicUrl,
    ownerEmail: up.owner.email,
    ownerPassword: settings.ownerPassword === undefined ? up.owner.password : '(the OWNER_PASSWORD that was set)',
    apiKey: up.access.apiKey,
    sampleName: up.sample.name,
    sampleInput: up.sample.input,
    execution: up.execution,
    logs: join(settings.folder, 'logs'),
    data: up.dataPath ?? 'in the database of DATABASE_URL',
    notes: [
      ...(settings.listenAddress === LOOPBACK
        ? ['only this machine reaches it; LISTEN_ADDRESS=0.0.0.0 npm start lets others in']
        : []),
      ...(settings.allowPrivate === undefined
        ? [
            `http nodes may call private addresses (HTTP_NODE_ALLOW_PRIVATE=true), such as the samples' receiver ${up.receiverUrl}`,
          ]
        : []),
    ],
  };
}

/**
 * Resolves with the first signal to stop. A second Ctrl-C stops at once; the guard then ends the remaining processes. A
 * signal that follows immediately is the first again: the terminal sends it to every process, and npm forwards it.
 */
function stopSignal(): Promise<{ signal: NodeJS.Signals }> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const name of STOP_SIGNALS) {
      // Not `once`: a library that handles signals, too, would end the process as the last remaining listener.
      process.on(name, (signal) => {
        firstAt ??= Date.now();
        resolve({ signal });
        if (Date.now() > firstAt + SAME_SIGNAL_MS && signal !== 'SIGHUP') process.exit(130);
      });
    }
  });
}

async function isPortFreeSoon(port: number, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (!(await isPortFree(port))) {
    if (Date.now() >= deadline) return false;
    await sleep(100);
  }
  return true;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function complain(message: string): number {
  console.error(message);
  return 1;
}
