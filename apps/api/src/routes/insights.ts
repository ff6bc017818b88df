import { Insights, InsightsQuery, MAX_INSIGHTS_DAYS, validationFailed } from '@deckhand/contracts';
import { type InsightsPeriod, readInsights, requirePermission } from '@deckhand/db';
import { stringify } from 'csv-stringify/sync';
import type { RunContext } from '../contexts.ts';
import { setAge, wantsFresh } from '../http/freshness.ts';
import { queryReader } from '../http/read-request.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';

const readQuery = queryReader(InsightsQuery);

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const EARLIEST_DAY = '2000-01-01';

/** GET /api/insights */
export function getInsights({ db, runReads, shares }: RunContext): Route {
  return forKey(
    'GET',
    '/api/insights',
    'monitoring:read',
    {
      summary: 'Get insights into the runs of a workspace or a workflow',
      description:
        'Counts runs by the day, of UTC, of their end, for up to 400 days, with the failure rate and the durations, and compares them with as many days before. Runs are counted within seconds after their end, and stay counted when they are deleted. Test and debug runs are left out.',
      returns: 'Counts and durations: in total, of the period before, by day, and by workflow; as CSV by day',
      query: InsightsQuery,
      readsReplica: true,
      responses: { 200: Insights },
      alsoAs: ['text/csv'],
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { format, ...query } = readQuery(request);
      const period = periodOf(query);
      const options = { isFresh: wantsFresh(request) };
      // Only its members may use up a workspace's share.
      await requirePermission(db, caller, period.workspaceId, 'runs.read');
      const { value, ageMs } = await shares.within(period.workspaceId, 'insights', () =>
        runReads.read((source) => readInsights(db, caller, period, source), options),
      );
      setAge(response, ageMs);
      if (format === 'json') {
        sendJson(response, 200, value);
        return;
      }
      response.writeHead(200, {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="insights-${period.from}-${period.to}.csv"`,
        'Cache-Control': 'no-store',
      });
      response.end(toCsv(value));
    },
  );
}

/**
 * Returns the requested period, by default the last 30 days. @throws DeckhandError VALIDATION_FAILED for one that is
 * empty, too long or too early.
 */
function periodOf({ workspaceId, workflowId, from, to }: Omit<InsightsQuery, 'format'>): InsightsPeriod {
  const last = to ?? dayOf(Date.now());
  const first = from ?? dayOf(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS);
  const refuse = (path: string, message: string): Error => validationFailed([{ path, message }]);
  for (const [path, day] of [
    ['to', last],
    ['from', first],
  ] as const) {
    if (day < EARLIEST_DAY) throw refuse(path, `must be ${EARLIEST_DAY} or later`);
  }
  if (first > last) throw refuse('from', 'must not be after to');
  if (Date.parse(last) - Date.parse(first) >= MAX_INSIGHTS_DAYS * DAY_MS) {
    throw refuse('from', `must be less than ${MAX_INSIGHTS_DAYS} days before to`);
  }
  return { workspaceId: workspaceId.toLowerCase(), workflowId: workflowId?.toLowerCase(), from: first, to: last };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const COLUMNS = ['day', 'runs', 'success', 'failed', 'timeout', 'stopped', 'failureRate', 'p50Ms', 'p95Ms'];

/** Returns a row per day, as RFC 4180 has it. */
function toCsv({ days }: Insights): string {
  const rows = days.map(({ durationMs, ...day }) => ({ ...day, p50Ms: durationMs?.p50, p95Ms: durationMs?.p95 }));
  return stringify(rows, { header: true, columns: COLUMNS, record_delimiter: 'windows' });
}
