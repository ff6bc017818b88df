import { DeckhandError, FleetResponse, type WorkerEntry } from '@deckhand/contracts';
import { isAdministrator, readOldestWaitingSeconds } from '@deckhand/db';
import type { FleetEntry } from '@deckhand/queue';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/monitoring/fleet */
export function readFleet({ db, fleet, queue }: Services): Route {
  return forKey(
    'GET',
    '/api/monitoring/fleet',
    {
      summary: 'Get the state of the workers and the queue',
      description: 'Administrators of the instance also see each worker and the queue.',
      returns: 'The numbers of live and consuming workers; for administrators also the workers and the queue',
      responses: { 200: FleetResponse },
    },
    async (_request, response, caller) => {
      const workers = fleet.counts();
      if (caller.boundTo !== null || !(await isAdministrator(db, caller))) {
        sendJson(response, 200, { workers } satisfies FleetResponse);
        return;
      }
      const [counts, oldest] = await Promise.all([
        queue.counts().catch((cause: unknown) => {
          throw new DeckhandError('SERVICE_UNAVAILABLE', { message: 'The queue cannot be read now', cause });
        }),
        readOldestWaitingSeconds(db),
      ]);
      const live = fleet.workers().filter(({ isLive }) => isLive);
      const answer: FleetResponse = {
        workers,
        data: live.map(toEntry),
        queue: { ...counts, oldestWaitingSeconds: oldest },
      };
      sendJson(response, 200, answer);
    },
  );
}

function toEntry(worker: FleetEntry): WorkerEntry {
  const { id, host, pid, version, state, concurrency, active, startedAt, lastSeenAt } = worker;
  return { id, host, pid, version, state, concurrency, active, startedAt, lastSeenAt };
}
