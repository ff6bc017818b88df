/** A rectangle on the canvas, in whole px. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Space between columns and between rows, in px. */
const GAP = { x: 48, y: 32 };

/**
 * Moves rectangles to the right and down until none overlaps another. Those that had one x or y still have, distances
 * do not shrink, and the order of different ones stays. Takes time in the number of rectangles times that of those
 * near each other.
 */
export function* spread(rects: readonly Rect[]): Generator<undefined, Rect[]> {
  const boxes = withoutPiles(rects);
  const xs = yield* separate(
    boxes.map(({ x, width }) => ({ at: x, needs: width + GAP.x })),
    (one, other) => {
      const [left, right] = [boxes[one], boxes[other]];
      return left !== undefined && right !== undefined && areBeside(left, right);
    },
  );
  const overlapsInX = (one: number, other: number): boolean => {
    const left = (xs[one] ?? 0) <= (xs[other] ?? 0) ? one : other;
    return Math.abs((xs[one] ?? 0) - (xs[other] ?? 0)) < (boxes[left]?.width ?? 0) + GAP.x;
  };
  const ys = yield* separate(
    boxes.map(({ y, height }) => ({ at: y, needs: height + GAP.y })),
    overlapsInX,
  );
  return rects.map((rect, index) => ({ ...rect, x: xs[index] ?? rect.x, y: Math.floor(ys[index] ?? rect.y) }));
}

/** Returns whether two rectangles, the left one first, are rather beside each other than one above the other. */
function areBeside(left: Rect, right: Rect): boolean {
  const across = (right.x - left.x) / (left.width + GAP.x);
  const [upper, lower] = left.y <= right.y ? [left, right] : [right, left];
  return across >= (lower.y - upper.y) / (upper.height + GAP.y);
}

/** Gives rectangles at one and the same place each a y of its own, less than 1 px apart. */
function withoutPiles(rects: readonly Rect[]): Rect[] {
  const counts = new Map<string, number>();
  return rects.map((rect) => {
    const place = `${rect.x} ${rect.y}`;
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    return { ...rect, y: rect.y + count / (rects.length + 1) };
  });
}

/**
 * Moves spans along an axis.
 * @param needs the length of a span, with the gap after it.
 * @param isInWay whether a span has to end before a later one begins, by their numbers.
 */
function* separate(
  spans: readonly { readonly at: number; readonly needs: number }[],
  isInWay: (earlier: number, later: number) => boolean,
): Generator<undefined, number[]> {
  const moved: number[] = [];
  const columns = [...Map.groupBy(spans.keys(), (index) => spans[index]?.at ?? 0)].toSorted(([a], [b]) => a - b);
  const longest = spans.reduce((most, { needs }) => Math.max(most, needs), 0);
  let last = columns[0]?.[0] ?? 0;
  let end = last;
  for (const [column, [at, members]] of columns.entries()) {
    end += at - last;
    last = at;
    for (let before = column - 1; before >= 0; before -= 1) {
      const [earlier, others] = columns[before] ?? [0, []];
      // Distances do not shrink, so those that are far enough apart stay so.
      if (at - earlier >= longest) break;
      for (const other of others) {
        const needed = (moved[other] ?? 0) + (spans[other]?.needs ?? 0);
        if (needed > end && members.some((member) => isInWay(other, member))) end = needed;
      }
    }
    for (const member of members) moved[member] = end;
    yield;
  }
  return moved;
}
