import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { newestRunsQuery, type RunRow, runsQuery } from '../../api/executions.ts';
import type { RunFilter } from '../../api/run-filter.ts';

/** Polling interval of a live list, in ms. Browsers that hide the page do not poll. */
const LIVE_MS = 2_000;
/** How far a page may be scrolled and still count as at its top, in px. */
const TOP_PX = 40;

/**
 * The runs of a list. A live one shows new runs at its top; while it is held, its rows only change in place, and new
 * ones are counted. @param isHeld because a person has selected runs; a list that is scrolled is held, too.
 */
export function useRuns(
  workspaceId: string,
  filter: RunFilter,
  { isLive, isHeld }: Record<'isLive' | 'isHeld', boolean>,
) {
  const queryClient = useQueryClient();
  const options = runsQuery(workspaceId, filter);
  const isScrolled = useSyncExternalStore(watchScroll, () => window.scrollY > TOP_PX);
  const mayGrow = isLive && !isHeld && !isScrolled;
  const query = useInfiniteQuery({
    ...options,
    // With more pages, rows would move while they are read.
    refetchInterval: ({ state }) => (mayGrow && (state.data?.pages.length ?? 0) <= 1 ? LIVE_MS : false),
    placeholderData: (before) => before,
  });
  const isStill = isLive && (!mayGrow || (query.data?.pages.length ?? 0) > 1);
  const newest = useQuery({
    ...newestRunsQuery(workspaceId, filter),
    enabled: isStill && query.isSuccess,
    refetchInterval: LIVE_MS,
  });
  const fresh = isStill && newest.dataUpdatedAt > query.dataUpdatedAt ? newest.data?.data : undefined;
  const { rows, newCount } = useMemo(() => {
    // New runs move others to the next page, where they come again.
    const listed = new Map(query.data?.pages.flatMap(({ data }) => data).map((run): [string, RunRow] => [run.id, run]));
    const added = (fresh ?? []).filter(({ id }) => !listed.has(id)).length;
    for (const run of fresh ?? []) if (listed.has(run.id)) listed.set(run.id, run);
    return { rows: [...listed.values()], newCount: added };
  }, [query.data, fresh]);
  return {
    query,
    rows,
    newCount,
    /** Shows the first page as it is now, from its top. */
    showNewest: (): void => {
      window.scrollTo({ top: 0 });
      queryClient.setQueryData(
        options.queryKey,
        (before) => before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
      );
      void query.refetch();
    },
  };
}

function watchScroll(onChange: () => void): () => void {
  window.addEventListener('scroll', onChange, { passive: true });
  return () => window.removeEventListener('scroll', onChange);
}
