import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { workflowsQuery } from '../../api/workflows.ts';
import type { FolderTree } from '../../api/folder-tree.ts';
import { Broken } from '../../components/broken.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loading } from '../../components/loading.tsx';
import { i18n } from '../../language/i18n.ts';
import { isFinding, toFilter, type WorkflowAddress } from './address.ts';
import { COLUMNS, COLUMNS_FOUND } from './columns.tsx';
import { toRows } from './rows.ts';

/** The rows of the list, or a placeholder while it is loading, empty or failed. */
export function WorkflowTable({
  workspaceId,
  address,
  tree,
  newButton,
}: {
  workspaceId: string;
  address: WorkflowAddress;
  tree: FolderTree;
  newButton: ReactNode;
}) {
  const query = useInfiniteQuery(workflowsQuery(workspaceId, toFilter(address)));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(
    () => toRows(tree, address, data?.pages.flatMap((page) => page.data) ?? []),
    [tree, address, data],
  );
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const isFound = isFinding(address);
  if (query.isError && !data) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (query.isPending) return <Loading />;
  if (rows.length > 0) {
    return (
      <DataTable
        key={`${address.folderId} ${isFound}`}
        label={i18n.t('Workflows')}
        columns={isFound ? COLUMNS_FOUND : COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        onNearEnd={more}
      />
    );
  }
  if (isFound) {
    return (
      <EmptyState title={i18n.t('No matching workflows')}>{i18n.t('Change the search or the status.')}</EmptyState>
    );
  }
  if (address.folderId !== undefined) {
    return (
      <EmptyState title={i18n.t('This folder is empty')} action={newButton}>
        {newButton
          ? i18n.t('Create a workflow here, or move one here with the menu of its row.')
          : i18n.t('It has no workflows yet.')}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={i18n.t('No workflows yet')} action={newButton}>
      {i18n.t('A workflow is a graph of nodes that a trigger starts: a request, a schedule, or a click.')}
    </EmptyState>
  );
}
