import { DeckhandError, FleetAnswer } from '@deckhand/contracts';
import { oldestWaitingSeconds } from '@deckhand/db';
import type { FleetEntry } from '@deckhand/queue';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/monitoring/fleet: the live workers and the queue. */
export function readFleet({ db, fleet, queue }: Services): Route {
  return forKey(
    'GET',
    '/api/monitoring/fleet',
    { summary: 'Read the state of workers and queue', answers: { 200: FleetAnswer } },
    async (_request, response) => {
      const [counts, oldest] = await Promise.all([
        queue.counts().catch((cause: unknown) => {
          throw new DeckhandError('SERVICE_UNAVAILABLE', { message: 'The queue cannot be read now', cause });
        }),
        oldestWaitingSeconds(db),
      ]);
      const live = fleet.workers().filter(({ isLive }) => isLive);
      const answer: FleetAnswer = {
        workers: fleet.counts(),
        data: live.map(toEntry),
        queue: { ...counts, oldestWaitingSeconds: oldest },
      };
      sendJson(response, 200, answer);
    },
  );
}

function toEntry(worker: FleetEntry): FleetAnswer['data'][number] {
  const { id, host, pid, version, state, concurrency, active, startedAt, lastSeenAt } = worker;
  return { id, host, pid, version, state, concurrency, active, startedAt, lastSeenAt };
}
