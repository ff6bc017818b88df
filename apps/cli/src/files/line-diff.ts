/** A line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Maximum size of the table of the comparison; larger differences are shown as one block. */
const MAX_CELLS = 4_000_000;

/** Compares two texts line by line, by their longest common subsequence. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  return [
    ...a.slice(0, start).map(line('same')),
    ...diffMiddle(a.slice(start, endA), b.slice(start, endB)),
    ...a.slice(endA).map(line('same')),
  ];
}

function line(kind: DiffLine['kind']): (text: string) => DiffLine {
  return (text) => ({ kind, text });
}

function diffMiddle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const width = b.length + 1;
  if ((a.length + 1) * width > MAX_CELLS) return [...a.map(line('removed')), ...b.map(line('added'))];
  // lengths[i * width + j]: length of the longest common subsequence of a from i and b from j.
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const result: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [removed, added] = [a[i], b[j]];
    if (removed !== undefined && removed === added) {
      result.push({ kind: 'same', text: removed });
      i += 1;
      j += 1;
    } else if (removed !== undefined && (added === undefined || at(i + 1, j) >= at(i, j + 1))) {
      result.push({ kind: 'removed', text: removed });
      i += 1;
    } else if (added !== undefined) {
      result.push({ kind: 'added', text: added });
      j += 1;
    }
  }
  return result;
}

/** Keeps the lines that changed, with some around them. */
export function inContext(lines: readonly DiffLine[], context = 3): readonly DiffLine[] {
  const shown = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    for (let near = index - context; near <= index + context; near += 1) shown.add(near);
  });
  return lines.flatMap((entry, index) => {
    if (shown.has(index)) return [entry];
    return shown.has(index - 1) ? [{ kind: 'same' as const, text: '…' }] : [];
  });
}
