import { MAX_NOTE_TEXT, NOTE_COLORS, type NoteDefinition } from '@deckhand/contracts';
import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { type Node, type NodeProps, NodeResizeControl, NodeToolbar } from '@xyflow/react';
import { Pencil, Trash2 } from 'lucide-react';
import { memo, useState } from 'react';
import { i18n } from '../../../language/i18n.ts';
import classes from './note-card.module.css';
import { noteKey, sizeOfNote } from '../model/notes.ts';

/** The data of a note on the canvas. */
interface NoteData extends Record<string, unknown> {
  readonly note: NoteDefinition;
  /** Undefined if the workflow is only read. */
  readonly edit: NoteEdits | undefined;
}

interface NoteEdits {
  /** Changes members of the note. Consecutive changes of the same step are undone together. */
  readonly change: (change: Partial<NoteDefinition>, step?: string) => void;
  readonly remove: () => void;
}

export type NoteNode = Node<NoteData, 'note'>;

const COLOR_LABELS: Readonly<Record<(typeof NOTE_COLORS)[number], string>> = {
  yellow: i18n.t('Color yellow'),
  orange: i18n.t('Color orange'),
  red: i18n.t('Color red'),
  green: i18n.t('Color green'),
  blue: i18n.t('Color blue'),
  purple: i18n.t('Color purple'),
  gray: i18n.t('Color gray'),
};

/** Below nodes and edges, also when it is selected: then React Flow adds 1000. */
const LAYER = -1;

/** The tools of a note are above the nodes, although the note is below them. */
const ABOVE = { zIndex: 1_001 };

/** Returns a note as a node of the canvas. */
export function toFlowNote(note: NoteDefinition, edit: NoteEdits | undefined): NoteNode {
  const size = sizeOfNote(note);
  return {
    id: noteKey(note.id),
    type: 'note',
    position: { ...note.position },
    data: { note, edit },
    ...size,
    measured: size,
    handles: [],
    zIndex: LAYER,
    ariaLabel: i18n.t('Note: {text}', { text: note.text.slice(0, 80) }),
  };
}

/** Returns a note as selected. */
export function selectNote(note: NoteNode): NoteNode {
  return { ...note, selected: true, zIndex: LAYER - 1_000 };
}

const focus = (field: HTMLTextAreaElement | null): void => field?.focus();

/** A note on the canvas. A double click edits its text in place. */
export const NoteCard = memo(function NoteCard({ data: { note, edit }, selected }: NodeProps<NoteNode>) {
  // A new one begins with its text.
  const [isEditing, setEditing] = useState(selected && note.text === '' && edit !== undefined);
  return (
    <div className={classes.note} data-color={note.color ?? 'yellow'} data-selected={selected}>
      {isEditing && edit ? (
        <textarea
          ref={focus}
          className={`nodrag nopan nowheel ${classes.text}`}
          aria-label={i18n.t('Text of the note')}
          maxLength={MAX_NOTE_TEXT}
          // Not controlled: a render of the canvas comes too late for the caret.
          defaultValue={note.text}
          onChange={(event) => edit.change({ text: event.currentTarget.value }, 'text')}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setEditing(false);
          }}
          onBlur={() => setEditing(false)}
        />
      ) : (
        <div className={classes.text} onDoubleClick={() => setEditing(edit !== undefined)}>
          {note.text}
        </div>
      )}
      {edit && (
        <NodeToolbar className={classes.tools} style={ABOVE}>
          <Group gap={4} wrap="nowrap" role="toolbar" aria-label={i18n.t('Note')}>
            {NOTE_COLORS.map((color) => (
              <button
                key={color}
                type="button"
                className={classes.color}
                data-color={color}
                aria-label={COLOR_LABELS[color]}
                aria-pressed={color === (note.color ?? 'yellow')}
                onClick={() => edit.change({ color })}
              />
            ))}
            <Tooltip label={i18n.t('Edit text')}>
              <ActionIcon variant="default" aria-label={i18n.t('Edit text')} onClick={() => setEditing(true)}>
                <Pencil size={15} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <Tooltip label={i18n.t('Delete note')}>
              <ActionIcon variant="default" aria-label={i18n.t('Delete note')} onClick={edit.remove}>
                <Trash2 size={15} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </Group>
        </NodeToolbar>
      )}
      {edit && selected && (
        <NodeResizeControl position="bottom-right" minWidth={80} minHeight={40} className={classes.corner} />
      )}
    </div>
  );
});
