/** A place on the canvas, in px. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node on the canvas: its place and size, in px. */
export interface Placed {
  readonly id: string;
  readonly position: { readonly x: number; readonly y: number };
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Returns the place of a node. */
export function rectOf({ position: { x, y }, width = 0, height = 0 }: Omit<Placed, 'id'>): Rect {
  return { x, y, width, height };
}

/** Returns the smallest rectangle around others; undefined without any. */
export function boundsOf(rects: readonly Rect[]): Rect | undefined {
  if (rects.length === 0) return undefined;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of rects) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
