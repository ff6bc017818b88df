import { RunStats, RunStatsQuery } from '@deckhand/contracts';
import { readRunStats, type StatsPeriod } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';
import { readPeriod } from './period.js';

const readQuery = queryReader(RunStatsQuery);

const DAYS_MAX = 366;

/** Readable lengths of parts; the shortest that results in no more than this many parts is used. */
const BUCKET_SECONDS = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800];
const BUCKETS_MAX = 100;

/** GET /api/monitoring/stats */
export function readStats({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/monitoring/stats',
    {
      summary: 'Get statistics of the runs of a workspace',
      description:
        'Counts per status, queue times and durations, for the whole period and for parts of equal length. Test and debug runs are left out.',
      returns: 'Counts per status and times, in buckets of the period',
      query: RunStatsQuery,
      responses: { 200: RunStats },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readRunStats(db, caller, periodOf(readQuery(request))));
    },
  );
}

function periodOf(query: RunStatsQuery): StatsPeriod {
  const period = readPeriod(query, DAYS_MAX);
  const lengthMs = period.to.getTime() - period.from.getTime();
  const bucketSeconds = BUCKET_SECONDS.find((seconds) => lengthMs / (seconds * 1_000) <= BUCKETS_MAX) ?? 604_800;
  return { ...period, bucketSeconds };
}
