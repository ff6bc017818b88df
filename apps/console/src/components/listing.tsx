import type { PageOf } from '@deckhand/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Broken } from './broken.tsx';
import { type Columns, DataTable } from './data-table.tsx';
import { Loading } from './loading.tsx';

/** A list that fits into one response: its table, or a placeholder while it is loading, empty or failed. */
export function Listing<T extends object>({
  label,
  query,
  columns,
  keyOf,
  empty,
}: {
  label: string;
  query: UseQueryResult<PageOf<T>>;
  columns: Columns<T>;
  keyOf: (row: T) => string;
  empty: ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data) {
    if (data.data.length === 0) return empty;
    return <DataTable label={label} columns={columns} rows={data.data} keyOf={keyOf} />;
  }
  if (error) return <Broken error={error} reset={() => void refetch()} />;
  return <Loading />;
}
