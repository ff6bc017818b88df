import type { FleetResponse, RunStats, WorkflowActivity, WorkflowTimes } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** How often the fleet is fetched, in ms. */
const LIVE_MS = 2_000;
const STATS_MS = 15_000;

/** The workers and their queue. */
export const fleetQuery = queryOptions({
  queryKey: ['fleet'],
  queryFn: ({ signal }) => call<FleetResponse>('GET', '/api/monitoring/fleet', { signal }),
  refetchInterval: LIVE_MS,
});

/** The runs of a workspace in a period until now. @param periodMs its length. */
export const statsQuery = (workspaceId: string, periodMs: number) =>
  queryOptions({
    queryKey: ['stats', workspaceId, periodMs],
    queryFn: ({ signal }) =>
      call<RunStats>('GET', '/api/monitoring/stats', { query: { workspaceId, from: ago(periodMs) }, signal }),
    refetchInterval: STATS_MS,
  });

/** The slowest workflows in a period until now. */
export const slowWorkflowsQuery = (workspaceId: string, periodMs: number) =>
  queryOptions({
    queryKey: ['slow-workflows', workspaceId, periodMs],
    queryFn: ({ signal }) =>
      call<WorkflowTimes>('GET', '/api/monitoring/workflows', { query: { workspaceId, from: ago(periodMs) }, signal }),
    refetchInterval: STATS_MS,
  });

/** The last runs, failures and triggers of up to 100 workflows. */
export const activityQuery = (workspaceId: string, workflowIds: readonly string[]) =>
  queryOptions({
    queryKey: ['activity', workspaceId, workflowIds],
    queryFn: ({ signal }) =>
      call<WorkflowActivity>('GET', '/api/monitoring/activity', {
        query: { workspaceId, workflowId: workflowIds.join(',') },
        signal,
      }),
    enabled: workflowIds.length > 0,
    refetchInterval: STATS_MS,
  });

function ago(periodMs: number): string {
  return new Date(Date.now() - periodMs).toISOString();
}
