import { CARD_HEIGHT, HANDLE_HEIGHT } from '@deckhand/contracts';

/** The diameter of an input or output, as in canvas.module.css. */
export const HANDLE_SIZE = 12;

/** Returns the distance of the n-th output from the top of its card. A single output is beside the title. */
export function handleTop(index: number, handles: number): number {
  return handles === 0 ? CARD_HEIGHT / 2 : CARD_HEIGHT + index * HANDLE_HEIGHT + HANDLE_HEIGHT / 2;
}
