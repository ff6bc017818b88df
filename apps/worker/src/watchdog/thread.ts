/**
 * The watchdog's thread. It sends the worker's heartbeats, finds out whether the main thread's event loop answers and
 * which run occupies it, and ends the process when it has been blocked for too long. It loads little: every worker
 * keeps it in memory.
 */
import { beat, BLOCKED_AFTER_MS, connectTarget, HEARTBEAT_INTERVAL_MS, leaveFleet } from '@deckhand/queue/heartbeat';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createBlockWatch } from './block-watch.js';
import { createMainThreadProbe } from './main-thread-probe.js';
import {
  type Block,
  EXIT_BLOCKED,
  SLOT,
  STATES,
  type WatchdogData,
  type WatchdogReport,
  type WatchdogRequest,
} from './shared-state.js';

/** Between two checks of the event loop, in ms. */
const CHECK_MS = 250;
/** From then on the thread samples what a blocked event loop does, in ms. */
const SAMPLE_AFTER_MS = 1_000;
/** How long failing the run that blocks the main thread may take, in ms. */
const FAIL_LIMIT_MS = 5_000;

// eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- the main thread gives what WatchdogData says
const data: WatchdogData = workerData;
const { shared, worker, maxBlockedMs } = data;

const redis = connectTarget(data.redis, 'producer');
// The main thread, which has connections of its own, logs that Redis cannot be reached.
redis.on('error', () => undefined);
redis.on('ready', () => void sendHeartbeat());
const watch = createBlockWatch(CHECK_MS);
const probe = createMainThreadProbe();
let blockedMs = 0;
let stack = '';
let block: Block | undefined;
let isEnding = false;

function report(what: WatchdogReport): void {
  parentPort?.postMessage(what);
}

/** Sends a heartbeat. One that fails is reported, and the next is sent at its time. */
async function sendHeartbeat(): Promise<void> {
  if (redis.status !== 'ready') return;
  const state = STATES[Atomics.load(shared, SLOT.state)] ?? 'starting';
  const isBlocked = blockedMs >= SAMPLE_AFTER_MS;
  await beat(redis, {
    ...worker,
    state: blockedMs > BLOCKED_AFTER_MS ? 'stalled' : state,
    active: Atomics.load(shared, SLOT.activeRuns),
    blockedMs: isBlocked ? Math.round(blockedMs) : 0,
    occupiedBy: isBlocked ? watch.occupant() : null,
  }).catch((err: unknown) => report({ kind: 'heartbeatFailed', message: String(err) }));
}

/** Checks whether the event loop answers, and does what its being blocked for so long calls for. */
function checkEventLoop(): void {
  const before = blockedMs;
  blockedMs = watch.check(Atomics.load(shared, SLOT.ticks), performance.now());
  if (blockedMs < SAMPLE_AFTER_MS) {
    if (before < SAMPLE_AFTER_MS) return;
    if (block) report({ kind: 'blocked', block });
    block = undefined;
    stack = '';
    probe.disconnect();
    void sendHeartbeat();
    return;
  }
  Atomics.add(shared, SLOT.blockedMs, Math.round(blockedMs - (before < SAMPLE_AFTER_MS ? 0 : before)));
  block = { executionId: watch.occupant(), blockedMs: Math.round(blockedMs), stack };
  void sampleMainThread();
  if (before <= BLOCKED_AFTER_MS && blockedMs > BLOCKED_AFTER_MS) void sendHeartbeat();
  if (blockedMs > maxBlockedMs && !isEnding) {
    isEnding = true;
    void endProcess(block);
  }
}

async function sampleMainThread(): Promise<void> {
  const occupant = watch.occupant();
  const sample = await probe.sample();
  if (!sample || blockedMs < SAMPLE_AFTER_MS) return;
  watch.sampled(sample.executionId);
  ({ stack } = sample);
  // At once, not with the next heartbeat: the process may be about to die of it.
  if (watch.occupant() !== occupant) await sendHeartbeat();
}

/** Ends the process whatever happens: a run that could not be failed counts the loss of its worker. */
async function endProcess(last: Block): Promise<void> {
  const failing = import('./last-resort.js').then(({ failOccupant }) => failOccupant(data, last));
  await Promise.race([failing, sleep(FAIL_LIMIT_MS)]).catch(() => undefined);
  await sendHeartbeat();
  await probe.exit(EXIT_BLOCKED);
}

const timers = [setInterval(() => void sendHeartbeat(), HEARTBEAT_INTERVAL_MS), setInterval(checkEventLoop, CHECK_MS)];

parentPort?.on('message', (request: WatchdogRequest) => {
  if (request === 'beat') void sendHeartbeat();
  else void leave();
});

/** Takes the worker out of the fleet after its last heartbeat, over the same connection, and ends this thread. */
async function leave(): Promise<void> {
  for (const timer of timers) clearInterval(timer);
  await leaveFleet(redis, worker.id).catch(() => undefined);
  redis.disconnect();
  parentPort?.close();
}

/** Gives back the 12 MB that loading took: V8 collects when something is allocated, which this thread hardly does. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

await collectGarbage();
