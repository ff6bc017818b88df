/** Width of a node on the canvas of the console, in px. */
export const CARD_WIDTH = 204;
/** Height of a node without named outputs, in px. */
export const CARD_HEIGHT = 58;
/** Height of a named output, each of which has a separate line, in px. */
export const HANDLE_HEIGHT = 22;
/** The space between the nodes of a body and its frame, in px; above them is the title of the frame. */
export const FRAME_PADDING = 16;
export const FRAME_TITLE_HEIGHT = 22;

/** Returns the height of a node with that many named outputs, in px. */
export function cardHeight(handles: number): number {
  return CARD_HEIGHT + (handles > 0 ? handles * HANDLE_HEIGHT + 8 : 0);
}
