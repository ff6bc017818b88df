import { checkDuration, ExecutionHistogram, ExecutionHistogramQuery } from '@deckhand/contracts';
import { readRunHistogram, requirePermission } from '@deckhand/db';
import type { RunContext } from '../../contexts.ts';
import { setAge, wantsFresh } from '../../http/freshness.ts';
import { queryReader } from '../../http/read-request.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';

const readQuery = queryReader(ExecutionHistogramQuery);

/** GET /api/executions/histogram */
export function getExecutionHistogram({ db, runReads, shares }: RunContext): Route {
  return forKey(
    'GET',
    '/api/executions/histogram',
    'executions:read',
    {
      summary: 'Count the runs of a workspace by start and status',
      description:
        'Counts the runs that match the filters of a list, in at most 60 buckets of equal length: the last 20,000 runs, by default those of the last 24 hours.',
      returns: 'Counts per status, of all and of each bucket',
      query: ExecutionHistogramQuery,
      readsReplica: true,
      responses: { 200: ExecutionHistogram },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const filter = readQuery(request);
      checkDuration(filter);
      // Only its members may use up a workspace's share.
      await requirePermission(db, caller, filter.workspaceId, 'runs.read');
      const { value, ageMs } = await shares.within(filter.workspaceId, 'histograms', () =>
        runReads.read((source) => readRunHistogram(db, caller, filter, source), { isFresh: wantsFresh(request) }),
      );
      setAge(response, ageMs);
      sendJson(response, 200, value);
    },
  );
}
