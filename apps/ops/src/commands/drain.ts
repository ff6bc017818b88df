import { type FleetEntry, requestDrain } from '@deckhand/queue';
import { confirm, ExitError, misused, printMessage, printResult, wholeNumber } from '@deckhand/terminal';
import { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { withStores } from '../open-stores.ts';
import { createWorkerWatch, type WorkerWatch } from '../runs/worker-watch.ts';

const POLL_MS = 250;

interface DrainOptions {
  readonly timeout: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Creates `drain`, which lets one worker finish its runs and stop. */
export function drainCommand(): Command {
  return new Command('drain')
    .summary('let one worker finish or hand over its runs, and stop')
    .description(
      'Has the same effect as SIGTERM: the worker takes no more jobs, finishes nodes in progress within WORKER_GRACE_MS, releases its ' +
        'other runs, leaves the fleet and exits with code 0. The command waits until it has left.\n\n' +
        'The process has ended then; it is not paused. A supervisor (systemd, Compose, a Deployment) may start another worker ' +
        'in its place: to have fewer workers, scale down there.',
    )
    .argument('<worker>', 'its id (see `fleet`), the start of its id, or host:pid')
    .option('--timeout <seconds>', 'stop waiting after this time; the worker continues to drain', wholeNumber, 120)
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print one JSON document')
    .action(async (name: string, { timeout, yes, json }: DrainOptions) => {
      const worker = await withStores(async ({ redis }) => {
        const watch = createWorkerWatch(redis);
        const found = await findWorker(watch, name);
        await confirm(`Drain worker ${found.id} (${found.host}:${found.pid}), which holds ${found.active} runs?`, {
          yes,
        });
        await requestDrain(redis, found.id);
        await untilGone(watch, found, timeout * 1_000);
        return found;
      });
      printResult(json, { workerId: worker.id, state: 'gone' }, () => [`Worker ${worker.id} has left the fleet.`]);
    });
}

async function findWorker(watch: WorkerWatch, name: string): Promise<FleetEntry> {
  const fleet = await watch.read();
  const named = fleet.filter(({ id, host, pid }) => id.startsWith(name.toLowerCase()) || `${host}:${pid}` === name);
  await watch.decide(named.filter(({ isLive }) => !isLive).map(({ id }) => id));
  const found = named.filter(({ id }) => !watch.isDead(id));
  const [worker] = found;
  if (!worker) throw misused(`No live worker matches ${name}: see the command fleet.`);
  if (found.length > 1) throw misused(`${found.length} live workers match ${name}: give more of the id.`);
  return worker;
}

async function untilGone(watch: WorkerWatch, { id }: FleetEntry, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let shown = '';
  while (Date.now() < deadline) {
    const worker = (await watch.read()).find((entry) => entry.id === id);
    if (!worker) return;
    if (watch.isDead(id))
      throw new ExitError(`Worker ${id} stopped sending heartbeats while it drained: other workers take its runs.`);
    const line = `${worker.state}, holds ${worker.active} runs`;
    if (line !== shown) printMessage(line);
    shown = line;
    await sleep(POLL_MS);
  }
  throw new ExitError(`Worker ${id} is still in the fleet after ${timeoutMs / 1_000} s, and continues to drain.`);
}
