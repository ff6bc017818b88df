import { type Definition, MAX_NOTES, type NoteDefinition } from '@deckhand/contracts';
import { freeId } from './free-id.ts';

/** The size of a note that states none, in px. */
const SIZE = { width: 240, height: 160 } as const;

/** Returns the id of a note on the canvas; no node has such an id. */
export function noteKey(id: string): string {
  return `note:${id}`;
}

/** Returns true for the id of a note on the canvas. */
export function isNoteKey(key: string): boolean {
  return key.startsWith('note:');
}

/** Returns the size of a note, in px. */
export function sizeOfNote({ width = SIZE.width, height = SIZE.height }: Pick<NoteDefinition, 'width' | 'height'>): {
  readonly width: number;
  readonly height: number;
} {
  return { width, height };
}

/** Replaces the notes of a definition, which has no list of them if there are none. */
export function withNotes({ notes: _, ...rest }: Definition, notes: NoteDefinition[]): Definition {
  return notes.length === 0 ? rest : { ...rest, notes };
}

/** Adds a note under an id of its own. @returns undefined if there are as many as there may be. */
export function addNote(
  definition: Definition,
  note: Omit<NoteDefinition, 'id'>,
): { readonly definition: Definition; readonly id: string } | undefined {
  const { notes = [] } = definition;
  if (notes.length >= MAX_NOTES) return undefined;
  const id = freeId(notes, 'note');
  return { definition: withNotes(definition, [...notes, { ...note, id }]), id };
}

/** Changes members of a note. */
export function changeNote(
  definition: Definition,
  noteId: string,
  change: Partial<Omit<NoteDefinition, 'id'>>,
): Definition {
  const { notes = [] } = definition;
  return withNotes(
    definition,
    notes.map((note) => (note.id === noteId ? { ...note, ...change } : note)),
  );
}
