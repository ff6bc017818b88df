import {
  type BulkAction,
  type CreateBulkActionBody,
  EXECUTION_SOURCES,
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type PageOf,
} from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { choicesOf } from '../app/search.ts';
import { rangeOf, type RunFilter } from './run-filter.ts';

/** Which runs a bulk action is for. */
export type BulkTarget = Pick<CreateBulkActionBody, 'executionIds' | 'filter' | 'all'>;

/** Polling interval while an action runs, in ms. */
const LIVE_MS = 2_000;

/** The latest bulk actions of a workspace. */
export const bulkActionsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['bulk-actions', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<BulkAction>>('GET', '/api/bulk-actions', { query: { workspaceId, limit: 100 }, signal }),
    refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => status === 'running') ? LIVE_MS : false),
  });

/** A bulk action. */
export const bulkActionQuery = (id: string) =>
  queryOptions({
    queryKey: ['bulk-actions', 'one', id],
    queryFn: ({ signal }) => call<BulkAction>('GET', `/api/bulk-actions/${id}`, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? LIVE_MS : false),
  });

/** Converts the filter of the list of runs. */
export function toBulkTarget(given: RunFilter): BulkTarget {
  const { within: _within, from: _from, to: _to, status, source, executionMode, tag, ...rest } = given;
  const startedAt = rangeOf(given);
  const filter = {
    ...rest,
    ...(status !== undefined && { status: choicesOf(EXECUTION_STATUSES, status) }),
    ...(source !== undefined && { source: choicesOf(EXECUTION_SOURCES, source) }),
    ...(executionMode !== undefined && { executionMode: choicesOf(EXECUTION_MODES, executionMode) }),
    ...(tag !== undefined && { tag: tag.split(',') }),
    ...(Object.keys(startedAt).length > 0 && { startedAt }),
  };
  return { filter, ...(Object.keys(filter).length === 0 && { all: true }) };
}

/** Counts the runs that a bulk action would act on. */
export const bulkCountQuery = (body: CreateBulkActionBody) =>
  queryOptions({
    queryKey: ['bulk-count', body],
    queryFn: ({ signal }) =>
      call<{ total: number }>('POST', '/api/bulk-actions', { query: { dryRun: true }, body, signal }),
    gcTime: 0,
  });

export const startBulkAction = (body: CreateBulkActionBody): Promise<BulkAction> =>
  call('POST', '/api/bulk-actions', { body });
export const abortBulkAction = (id: string): Promise<BulkAction> => call('POST', `/api/bulk-actions/${id}/abort`);
