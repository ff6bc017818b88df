import { MAX_NOTE_TEXT, NOTE_COLORS, type NoteDefinition } from '@deckhand/contracts';
import { isList, type N8nNode, text } from './workflow.ts';

/** The size of a note in n8n that states none, in px. */
const WIDTH = 240;
const HEIGHT = 160;

/** Converts a sticky note of n8n. */
export function toSticky({ parameters, original }: N8nNode, id: string): NoteDefinition {
  const [x, y] = isList(original.position) ? original.position : [];
  const { color } = parameters;
  // n8n numbers its colors from 1, in the same order.
  const named = typeof color === 'number' ? NOTE_COLORS[color - 1] : undefined;
  return {
    id,
    // Half a surrogate pair at the end would be no valid text.
    text: (text(parameters.content) ?? '').slice(0, MAX_NOTE_TEXT).replace(/[\ud800-\udbff]$/, ''),
    position: { x: typeof x === 'number' ? x : 0, y: typeof y === 'number' ? y : 0 },
    width: sideOf(parameters.width, WIDTH),
    height: sideOf(parameters.height, HEIGHT),
    ...(named !== undefined && named !== 'yellow' && { color: named }),
  };
}

/** Returns false if the text of a note is too long here. */
export function isWholeSticky({ parameters }: N8nNode): boolean {
  return (text(parameters.content) ?? '').length <= MAX_NOTE_TEXT;
}

function sideOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? noteSide(value) : otherwise;
}

/** Returns a width or height that a note may have, in px. */
export function noteSide(length: number): number {
  return Math.min(Math.max(length, 40), 10_000);
}
