import type { Insights } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call, type Query, send } from './call.ts';

const DAY_MS = 86_400_000;
/** How often insights are fetched, in ms. */
const LIVE_MS = 300_000;

/** Lengths of periods up to today, in days. */
export const INSIGHTS_PERIODS = { '7d': 7, '30d': 30, '90d': 90, '400d': 400 } as const;
export type InsightsPeriod = keyof typeof INSIGHTS_PERIODS;
export const INSIGHTS_PERIOD_NAMES = ['7d', '30d', '90d', '400d'] as const satisfies readonly InsightsPeriod[];

/** What insights are about. */
export interface InsightsFilter {
  readonly within?: InsightsPeriod | undefined;
  readonly workflowId?: string | undefined;
}

/** The length of the period without another one. */
export const DEFAULT_PERIOD: InsightsPeriod = '30d';

/** How the runs of a workspace, or of a workflow, ended in the days of UTC up to today. */
export const insightsQuery = (workspaceId: string, filter: InsightsFilter) =>
  queryOptions({
    queryKey: ['insights', workspaceId, filter],
    // A workspace has few at once.
    retry: false,
    queryFn: ({ signal }) => call<Insights>('GET', '/api/insights', { query: toQuery(workspaceId, filter), signal }),
    refetchInterval: LIVE_MS,
  });

/** The same as a file, with a row per day. */
export async function exportInsights(workspaceId: string, filter: InsightsFilter): Promise<Blob> {
  const query = { ...toQuery(workspaceId, filter), format: 'csv' };
  return (await send('GET', '/api/insights', { query })).blob();
}

function toQuery(workspaceId: string, { within = DEFAULT_PERIOD, workflowId }: InsightsFilter): Query {
  const now = Date.now();
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return { workspaceId, workflowId, from: dayOf(now - (INSIGHTS_PERIODS[within] - 1) * DAY_MS), to: dayOf(now) };
}
