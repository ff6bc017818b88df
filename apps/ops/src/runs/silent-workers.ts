import { findHoldingWorkers, type Database } from '@deckhand/db';
import { HEARTBEAT_LIFETIME_MS, readFleet, type Redis } from '@deckhand/queue';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 250;
/** Longer than a heartbeat lives: a worker that was not heard of for as long is dead, also where Redis was emptied just now. */
const WATCH_MS = HEARTBEAT_LIFETIME_MS + 1_000;

/**
 * Workers that hold runs and stay silent while they are watched, which takes four seconds unless all of them are heard of. Judged by this machine's clock
 * and by whether a heartbeat arrives, so neither a clock that is wrong nor an empty Redis makes anyone dead.
 */
export async function findSilentWorkers(db: Database, redis: Redis): Promise<string[]> {
  const silent = new Set(await findHoldingWorkers(db));
  const first = new Map((await readFleet(redis)).map(({ id, lastSeenAt }) => [id, lastSeenAt]));
  const end = performance.now() + WATCH_MS;
  while (silent.size > 0 && performance.now() < end) {
    await sleep(LOOK_EVERY_MS);
    for (const { id, lastSeenAt } of await readFleet(redis)) if (first.get(id) !== lastSeenAt) silent.delete(id);
  }
  return [...silent];
}
