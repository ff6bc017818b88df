import { type ColumnDef, FlexRender, tableFeatures, useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { cachedFor } from './cached-for.ts';
import classes from './data-table.module.css';

/** Tables show rows in the given order: the API sorts and filters. */
const features = tableFeatures({});

/**
 * Columns of a table of `T`. Once one has a width, as CSS has it, all columns keep theirs whatever rows are shown, and
 * those without one share the rest.
 */
export type Columns<T extends object> = (ColumnDef<typeof features, T> & { readonly width?: string })[];

/** Estimated height of a row before it is drawn, in px. */
const ROW_PX = 36;
/** The column of boxes that select rows. */
const SELECT = 'select';
/** Number of rows drawn beyond the window. */
const OVERSCAN = 12;

/**
 * A virtual table: only visible rows are drawn. On narrow screens a row becomes a card. @param label what it lists, for
 * screen readers. @param columns stable between renderings; the first names the row, after one that is called `select`.
 * One that is called `menu` is at its end. @param onNearEnd called when its last rows come into view.
 */
export function DataTable<T extends object>({
  label,
  columns,
  rows,
  keyOf,
  onNearEnd,
}: {
  label: string;
  columns: Columns<T>;
  rows: readonly T[];
  keyOf: (row: T) => string;
  onNearEnd?: (() => void) | undefined;
}) {
  const table = useTable({ features, columns, data: rows, getRowId: keyOf });
  const place = useRef<HTMLTableSectionElement>(null);
  const all = table.getRowModel().rows;
  const [top, setTop] = useState(0);
  // Filters above may have wrapped since.
  useLayoutEffect(() => {
    if (place.current) setTop(place.current.getBoundingClientRect().top + window.scrollY);
  }, [all.length]);
  const virtualizer = useWindowVirtualizer({
    count: all.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    getItemKey: (index) => all[index]?.id ?? index,
    scrollMargin: top,
    // Rows beyond the window are drawn already, so scrolling need not wait for the next ones.
    useFlushSync: false,
  });
  const { measureElement } = virtualizer;
  const named = columns.find(({ id }) => id !== SELECT)?.id;
  // Rows that stay in view are not rendered again while the table is scrolled.
  const drawRow = useMemo(
    () =>
      cachedFor((row: (typeof all)[number]) => (
        <tr
          key={row.id}
          data-index={row.index}
          aria-rowindex={row.index + 2}
          ref={measureElement}
          className={classes.row}
        >
          {row.getAllCells().map((cell) => (
            <td key={cell.id} data-column={cell.column.id} data-names={cell.column.id === named || undefined}>
              <FlexRender cell={cell} />
            </td>
          ))}
        </tr>
      )),
    [measureElement, named],
  );
  const hasWidths = columns.some(({ width }) => width !== undefined);
  const shown = virtualizer.getVirtualItems();
  const first = shown[0];
  const last = shown.at(-1);
  const before = first ? first.start - virtualizer.options.scrollMargin : 0;
  const after = last ? virtualizer.getTotalSize() + virtualizer.options.scrollMargin - last.end : 0;
  const lastShown = last?.index ?? -1;
  useEffect(() => {
    if (lastShown >= 0 && lastShown >= all.length - 1) onNearEnd?.();
  }, [lastShown, all.length, onNearEnd]);
  return (
    <table
      className={classes.table}
      data-fixed={hasWidths || undefined}
      aria-label={label}
      aria-rowcount={all.length + 1}
    >
      {hasWidths && (
        <colgroup>
          {columns.map(({ width }, index) => (
            <col key={index} style={{ width }} />
          ))}
        </colgroup>
      )}
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => (
              <th key={header.id} scope="col" data-column={header.column.id}>
                <FlexRender header={header} />
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody ref={place}>
        {before > 0 && <tr aria-hidden className={classes.space} style={{ height: before }} />}
        {shown.map(({ index }) => {
          const row = all[index];
          return row && drawRow(row);
        })}
        {after > 0 && <tr aria-hidden className={classes.space} style={{ height: after }} />}
      </tbody>
    </table>
  );
}
