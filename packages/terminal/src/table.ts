import { clean, lengthOf, type Span, spansOf, type Text } from './text.ts';

/** A cell of a table; numbers are aligned to the right. */
export type Cell = Text | number;

/** Formats rows under headings in columns. @param empty the only line if there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[], empty: string): Text[] {
  if (rows.length === 0) return [empty];
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? String(cell) : cell)));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...texts.map((row) => lengthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly Text[], isRight: (column: number) => boolean): Text =>
    cells.flatMap((cell, column): readonly (string | Span)[] => {
      const gap = ' '.repeat(Math.max(0, (widths[column] ?? 0) - lengthOf(cell)));
      const isLast = column === cells.length - 1;
      if (isRight(column)) return [gap, ...spansOf(cell), ...(isLast ? [] : ['  '])];
      return [...spansOf(cell), ...(isLast ? [] : [`${gap}  `])];
    });
  return [
    line(
      headings.map((text): Span => ({ text, style: 'dim' })),
      (column) => typeof rows[0]?.[column] === 'number',
    ),
    ...texts.map((row, index) => line(row, (column) => typeof rows[index]?.[column] === 'number')),
  ];
}

/** Formats names and values in two columns. */
export function fields(entries: readonly (readonly [string, Text | null | undefined])[]): Text[] {
  const shown = entries.filter(
    (entry): entry is readonly [string, Text] => entry[1] !== null && entry[1] !== undefined,
  );
  const width = Math.max(0, ...shown.map(([name]) => clean(name).length));
  return shown.map(([name, value]) => [{ text: name.padEnd(width + 2), style: 'dim' as const }, ...spansOf(value)]);
}

/** Formats a duration: `12 ms`, `3.4 s`, `2 min 5 s`, `3 h 2 min`, `4 d 1 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(seconds / 3_600);
  if (hours < 24) return `${hours} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
