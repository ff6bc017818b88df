/** Of a node on the canvas, in px. */
export const CARD_WIDTH = 204;
const CARD_HEIGHT = 58;
/** The diameter of an input or output, as in canvas.module.css. */
export const HANDLE_SIZE = 12;
/** Each named output has a separate line. */
const HANDLE_HEIGHT = 22;

/** Returns the height of a node with that many named outputs. */
export function cardHeight(handles: number): number {
  return CARD_HEIGHT + (handles > 0 ? handles * HANDLE_HEIGHT + 8 : 0);
}

/** Returns the distance of the n-th output from the top of its card. A single output is beside the title. */
export function handleTop(index: number, handles: number): number {
  return handles === 0 ? CARD_HEIGHT / 2 : CARD_HEIGHT + index * HANDLE_HEIGHT + HANDLE_HEIGHT / 2;
}
