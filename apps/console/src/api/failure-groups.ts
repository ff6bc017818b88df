import type { FailureGroup, FailureGroupState, PageOf } from '@deckhand/contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

const PAGE = 100;

/** Filters of the list of failure groups. */
export interface FailureFilter {
  readonly state?: FailureGroupState | undefined;
  readonly workflowId?: string | undefined;
}

/** The failure groups of a workspace, page by page, the latest failure first. */
export const failureGroupsQuery = (workspaceId: string, filter: FailureFilter) =>
  infiniteQueryOptions({
    queryKey: ['failure-groups', workspaceId, filter],
    queryFn: ({ pageParam, signal }) =>
      call<PageOf<FailureGroup>>('GET', '/api/failure-groups', {
        query: { workspaceId, ...filter, limit: PAGE, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, hasMore }) => (hasMore ? offset + limit : undefined),
  });

/** A failure group. */
export const failureGroupQuery = (id: string) =>
  queryOptions({
    queryKey: ['failure-group', id],
    queryFn: ({ signal }) => call<FailureGroup>('GET', `/api/failure-groups/${id}`, { signal }),
  });

export const changeFailureState = (id: string, state: FailureGroupState): Promise<FailureGroup> =>
  call('PATCH', `/api/failure-groups/${id}`, { body: { state } });
