/** Of a node on the canvas, in px. */
export const CARD_WIDTH = 204;
const CARD_HEIGHT = 58;
/** Each named way out has a line of its own. */
const HANDLE_HEIGHT = 22;

/** Height of a node with that many named ways out. */
export function cardHeight(handles: number): number {
  return CARD_HEIGHT + (handles > 0 ? handles * HANDLE_HEIGHT + 8 : 0);
}

/** How far below a card's top its n-th way out is; a single one is beside the title. */
export function handleTop(index: number, handles: number): number {
  return handles === 0 ? CARD_HEIGHT / 2 : CARD_HEIGHT + index * HANDLE_HEIGHT + HANDLE_HEIGHT / 2;
}
