import { RunStatsQuery, validationFailed, RunStats } from '@deckhand/contracts';
import { readRunStats, type StatsPeriod } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(RunStatsQuery);

const DAY_MS = 24 * 60 * 60 * 1_000;
const PERIOD_MAX_MS = 366 * DAY_MS;

/** Lengths that people read well; the shortest that makes no more than this many parts is taken. */
const BUCKET_SECONDS = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800];
const BUCKETS_MAX = 100;

/** GET /api/monitoring/stats?workspaceId=&from=&to=: runs per status, waiting and run times, whole and in parts. */
export function readStats({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/monitoring/stats',
    { summary: 'Count and time the runs of a workspace', query: RunStatsQuery, answers: { 200: RunStats } },
    async (request, response, caller) => {
      sendJson(response, 200, await readRunStats(db, caller, periodOf(readQuery(request))));
    },
  );
}

function periodOf({ workspaceId, from, to }: RunStatsQuery): StatsPeriod {
  const end = to === undefined ? new Date() : new Date(to);
  const start = from === undefined ? new Date(end.getTime() - DAY_MS) : new Date(from);
  const lengthMs = end.getTime() - start.getTime();
  if (lengthMs <= 0) throw validationFailed([{ path: 'from', message: 'must be before to' }]);
  if (lengthMs > PERIOD_MAX_MS)
    throw validationFailed([{ path: 'from', message: 'must be at most 366 days before to' }]);
  const bucketSeconds = BUCKET_SECONDS.find((seconds) => lengthMs / (seconds * 1_000) <= BUCKETS_MAX) ?? 604_800;
  return { workspaceId: workspaceId.toLowerCase(), from: start, to: end, bucketSeconds };
}
