import { expect, it, jest } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
import { prepareConsole } from '../testing/console.tsx';
import { type Columns, DataTable } from './data-table.tsx';

prepareConsole();

interface Row {
  readonly id: string;
}

const ROWS: Row[] = Array.from({ length: 500 }, (_, index) => ({ id: `row ${index}` }));

/** The rows whose cells were rendered, each time that they were. */
const rendered: string[] = [];

function Cell({ id }: Row) {
  rendered.push(id);
  return id;
}

const NAME: Columns<Row>[number] = {
  id: 'name',
  header: 'Name',
  cell: ({ row: { original } }) => <Cell {...original} />,
};
const COLUMNS: Columns<Row> = [NAME, { id: 'at', width: '120px', header: 'At', cell: () => 'now' }];

const LABEL = 'Rows';

const draw = (columns: Columns<Row>) => (
  <DataTable label={LABEL} columns={columns} rows={ROWS} keyOf={({ id }) => id} />
);

it('keeps the widths of its columns, whatever rows are shown', () => {
  const { rerender } = render(draw(COLUMNS));
  const widths = () => [...screen.getByRole('table').querySelectorAll('col')].map(({ style: { width } }) => width);
  expect(widths()).toEqual(['', '120px']);
  expect(screen.getByRole('table').hasAttribute('data-fixed')).toBe(true);
  // A table without widths has those of its content.
  rerender(draw([NAME]));
  expect(screen.getByRole('table').hasAttribute('data-fixed')).toBe(false);
  expect(widths()).toEqual([]);
});

it('renders no row again that stays in view while it is scrolled', () => {
  rendered.length = 0;
  render(draw(COLUMNS));
  const height = screen.getByText('row 0').offsetHeight;
  jest.spyOn(window, 'scrollY', 'get').mockReturnValue(14 * height);
  fireEvent.scroll(window);
  expect(screen.queryByText('row 0')).toBeNull();
  const counts = Map.groupBy(rendered, (id) => id);
  expect(screen.getAllByText(/^row /).filter((row) => counts.get(row.textContent)?.length !== 1)).toEqual([]);
});
