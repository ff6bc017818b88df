import type { FleetAnswer, RunStats } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.js';

/** How often the fleet is asked for, in ms. */
const LIVE_MS = 2_000;
const STATS_MS = 15_000;

/** The workers and their queue. */
export const fleetQuery = queryOptions({
  queryKey: ['fleet'],
  queryFn: ({ signal }) => call<FleetAnswer>('GET', '/api/monitoring/fleet', { signal }),
  refetchInterval: LIVE_MS,
});

/** The runs of a workspace in the last day. */
export const statsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['stats', workspaceId],
    queryFn: ({ signal }) => call<RunStats>('GET', '/api/monitoring/stats', { query: { workspaceId }, signal }),
    refetchInterval: STATS_MS,
  });
