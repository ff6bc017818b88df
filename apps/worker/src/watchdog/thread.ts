/**
 * The watchdog thread. It sends the worker's heartbeats, detects whether the main thread's event loop is blocked and
 * which run occupies it, and ends the process when that lasts for too long. It loads few modules, because every worker
 * keeps this thread in memory.
 */
import {
  BLOCKED_AFTER_MS,
  connectTarget,
  HEARTBEAT_INTERVAL_MS,
  heartbeatIntervalMs,
  leaveFleet,
  writeHeartbeat,
} from '@deckhand/queue/heartbeat';
import type { WorkerDescription } from '@deckhand/queue';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createBlockWatch } from './block-watch.ts';
import { createMainThreadProbe } from './main-thread-probe.ts';
import {
  type Block,
  EXIT_BLOCKED,
  SLOT,
  STATES,
  type WatchdogData,
  type WatchdogReport,
  type WatchdogRequest,
} from './shared-state.ts';

/** Interval of the checks of the event loop, and of whether a heartbeat is due, in ms. */
const CHECK_MS = 250;
/** An event loop that is blocked for longer than this, in ms, is sampled. */
const SAMPLE_AFTER_MS = 1_000;
/** Time limit for failing the run that blocks the main thread, in ms. */
const FAIL_LIMIT_MS = 5_000;

// oxlint-disable-next-line typescript/no-unsafe-assignment -- the main thread passes a WatchdogData
const data: WatchdogData = workerData;
const { shared, worker, maxBlockedMs } = data;

const redis = connectTarget(data.redis, 'producer');
// The main thread logs that Redis cannot be reached: it has connections of its own.
redis.on('error', () => undefined);
redis.on('ready', () => void sendHeartbeat());
const watch = createBlockWatch(CHECK_MS);
const probe = createMainThreadProbe();
let blockedMs = 0;
let stack = '';
let block: Block | undefined;
let isEnding = false;
/** When the last heartbeat was sent, and the interval that it announced, in ms. */
let sentAt = -Infinity;
let intervalMs = 0;

function report(message: WatchdogReport): void {
  parentPort?.postMessage(message);
}

function describe(): WorkerDescription {
  const state = STATES[Atomics.load(shared, SLOT.state)] ?? 'starting';
  const isBlocked = blockedMs >= SAMPLE_AFTER_MS;
  return {
    ...worker,
    state: blockedMs > BLOCKED_AFTER_MS ? 'stalled' : state,
    active: Atomics.load(shared, SLOT.activeRuns),
    isStandby: Atomics.load(shared, SLOT.standby) === 1,
    blockedMs: isBlocked ? Math.round(blockedMs) : 0,
    occupiedBy: isBlocked ? watch.occupant() : null,
  };
}

/** Sends a heartbeat. A failure is reported; the next heartbeat is sent a second later. */
async function sendHeartbeat(): Promise<void> {
  if (redis.status !== 'ready') return;
  const description = describe();
  sentAt = performance.now();
  intervalMs = heartbeatIntervalMs(description);
  try {
    const { isDrainRequested, isDeputyMissing } = await writeHeartbeat(redis, description);
    if (isDrainRequested) report({ kind: 'drainRequested' });
    if (isDeputyMissing) report({ kind: 'deputyMissing' });
  } catch (error) {
    intervalMs = HEARTBEAT_INTERVAL_MS;
    report({ kind: 'heartbeatFailed', message: String(error) });
  }
}

/** Sends a heartbeat if the announced interval is over, or too long for what the worker does by now. */
function sendIfDue(): void {
  const isTooLong = heartbeatIntervalMs(describe()) < intervalMs;
  // Due with the nearest check, because the interval is a multiple of theirs.
  if (isTooLong || performance.now() - sentAt >= intervalMs - CHECK_MS / 2) void sendHeartbeat();
}

/** Checks the event loop. Depending on how long it is blocked: samples it, reports it, or ends the process. */
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
  // Sent at once and not with the next heartbeat: the process may be about to die.
  if (watch.occupant() !== occupant) await sendHeartbeat();
}

/** Tries to fail the run that blocks the main thread, and ends the process in any case. */
async function endProcess(last: Block): Promise<void> {
  const failing = import('./last-resort.ts').then(({ failOccupant }) => failOccupant(data, last));
  await Promise.race([failing, sleep(FAIL_LIMIT_MS)]).catch(() => undefined);
  await sendHeartbeat();
  await probe.exit(EXIT_BLOCKED);
}

const timers = [setInterval(checkEventLoop, CHECK_MS), setInterval(sendIfDue, CHECK_MS)];

parentPort?.on('message', (request: WatchdogRequest) => {
  if (request === 'heartbeat') void sendHeartbeat();
  else void leave();
});

/**
 * Removes the worker from the fleet and ends this thread. The connection keeps the order: no heartbeat comes after it.
 */
async function leave(): Promise<void> {
  for (const timer of timers) clearInterval(timer);
  await leaveFleet(redis, worker.id).catch(() => undefined);
  redis.disconnect();
  parentPort?.close();
}

/** Frees the 12 MB that loading took. V8 collects garbage when memory is allocated, which this thread hardly does. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

await collectGarbage();
