import { type FleetEntry, requestDrain } from '@deckhand/queue';
import { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError, misused } from '../exit.js';
import { withStores } from '../open-stores.js';
import { createWorkerWatch, type WorkerWatch } from '../runs/worker-watch.js';
import { print, tell } from '../terminal/output.js';
import { confirm } from '../terminal/confirm.js';
import { wholeNumber } from './parse.js';

const LOOK_EVERY_MS = 250;

interface DrainOptions {
  readonly timeout: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Creates `drain`, which lets one worker finish its runs and stop. */
export function drainCommand(): Command {
  return new Command('drain')
    .summary('make one worker give its runs to others and end')
    .description(
      'Tells a worker what SIGTERM would: it takes no more jobs, lets nodes in flight finish within WORKER_GRACE_MS, gives the rest to ' +
        'others, leaves the fleet and ends with exit code 0. This waits until it is gone.\n\n' +
        'The process is gone then, not paused. Whatever keeps workers running (systemd, Compose, a Deployment) may start another ' +
        'in its place, which consumes: to have fewer workers, scale down there.',
    )
    .argument('<worker>', 'its id as `fleet` shows it, the beginning of that, or host:pid')
    .option('--timeout <seconds>', 'give up waiting after so long; the worker drains all the same', wholeNumber, 120)
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
      print(json, { workerId: worker.id, state: 'gone' }, () => `Worker ${worker.id} has left the fleet and ends.`);
    });
}

async function findWorker(watch: WorkerWatch, name: string): Promise<FleetEntry> {
  const fleet = await watch.read();
  const named = fleet.filter(({ id, host, pid }) => id.startsWith(name.toLowerCase()) || `${host}:${pid}` === name);
  await watch.decide(named.filter(({ isLive }) => !isLive).map(({ id }) => id));
  const found = named.filter(({ id }) => !watch.isDead(id));
  const [worker] = found;
  if (!worker) throw misused(`No live worker is called ${name}: see the command fleet.`);
  if (found.length > 1) throw misused(`${found.length} live workers fit ${name}: write more of the id.`);
  return worker;
}

async function untilGone(watch: WorkerWatch, { id }: FleetEntry, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let told = '';
  while (Date.now() < deadline) {
    const worker = (await watch.read()).find((entry) => entry.id === id);
    if (!worker) return;
    if (watch.isDead(id)) throw new ExitError(`Worker ${id} fell silent while it drained: others take its runs over.`);
    const line = `${worker.state}, holds ${worker.active} runs`;
    if (line !== told) tell(line);
    told = line;
    await sleep(LOOK_EVERY_MS);
  }
  throw new ExitError(`Worker ${id} is still in the fleet after ${timeoutMs / 1_000} s, and goes on draining.`);
}
