import type { SaveDraftBody, Workflow } from '@deckhand/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { ApiError } from '../api/api-error.ts';
import { deleteDraft, readDraft, saveDraft } from '../api/drafts.ts';
import { useWorkspace } from '../api/use-workspace.ts';
import { workflowQuery } from '../api/workflows.ts';
import { readSession, watchSession } from '../session/store.ts';
import { type DraftState, type DraftStore, DraftWriter } from './draft-writer.ts';
import { forgetKeptEdit, keepEdit } from './kept-edit.ts';
import { isSameDraft } from './same-draft.ts';
import type { Editor } from './use-editor.ts';
import type { Saving } from './use-save.ts';

/** The draft of the edited workflow, which follows the canvas. */
export interface DraftSync {
  readonly state: DraftState;
  /** Waits for a save in flight, and saves what is left. @returns whether nothing would be lost. */
  readonly settle: () => Promise<boolean>;
  /** After a conflict: replaces the draft of the other editor. */
  readonly saveMine: () => void;
  /** After a conflict: replaces the canvas by the draft of the other editor. */
  readonly loadTheirs: () => void;
  readonly isResolving: boolean;
  readonly error: unknown;
}

/**
 * Saves the draft of a workflow while it is edited, and deletes it once a version has all of it. What is not saved when
 * the session ends is kept in this tab for the same person.
 * @param parts.tag of the draft that the canvas shows; null for none. @param parts.isKept whether the canvas shows what
 * was kept, which is saved at once.
 */
export function useDraft(
  workflow: Workflow,
  { editor, saving, tag, isKept }: { editor: Editor; saving: Saving; tag: string | null; isKept: boolean },
): DraftSync {
  const queryClient = useQueryClient();
  const { user } = useWorkspace();
  const [writer] = useState(() => new DraftWriter<SaveDraftBody>(storeOf(workflow.id), tag));
  const state = useSyncExternalStore(writer.watch, writer.readState);
  const { definition, isDirty } = editor;
  const { baseVersionId } = saving;
  // What the store has, or should have.
  const last = useRef({ definition, baseVersionId, isDirty });
  useEffect(() => {
    const before = last.current;
    last.current = { definition, baseVersionId, isDirty };
    if (!isDirty) {
      if (before.isDirty) writer.write(null);
    } else if (!before.isDirty || definition !== before.definition || baseVersionId !== before.baseVersionId) {
      writer.write({ definition, baseVersionId });
    }
  }, [writer, definition, isDirty, baseVersionId]);
  const place = useMemo(() => ({ userId: user.id, workflowId: workflow.id }), [user.id, workflow.id]);
  useEffect(() => {
    if (isKept) writer.write({ definition: last.current.definition, baseVersionId: last.current.baseVersionId });
    // For as long as the writer lives: what is in flight may be saved after the page is left.
    writer.watch(() => {
      if (writer.readState() === 'saved') forgetKeptEdit(place);
    });
    const stopKeeping = watchSession(() => {
      const { isDirty: isEdited, ...edit } = last.current;
      if (readSession() || !isEdited || writer.readState() === 'saved') return;
      keepEdit(place, { ...edit, tag: writer.readTag() });
    });
    return () => {
      stopKeeping();
      writer.stop();
    };
  }, [writer, place, isKept]);
  const resolution = useMutation({
    async mutationFn(whose: 'mine' | 'theirs') {
      if (whose === 'mine') {
        await writer.overwrite();
        return;
      }
      const draft = await readDraft(workflow.id);
      if (draft) {
        writer.accept(draft.tag);
        const loaded = editor.loadDraft(draft.definition);
        last.current = { definition: loaded, baseVersionId: draft.baseVersionId, isDirty: true };
        saving.rebase(draft.baseVersionId);
        return;
      }
      // It has become a version meanwhile.
      writer.accept(null);
      await saving.takeTheirs();
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey }),
  });
  return {
    state,
    async settle() {
      const saved = await saving.settle();
      const { definition: current, isDirty: isChanged } = last.current;
      const isKept = !isChanged || current === saved;
      // The page may be left before it is rendered again, which would remove the draft, too.
      if (isKept && isChanged) writer.write(null);
      return (await writer.flush()) || isKept;
    },
    saveMine: () => resolution.mutate('mine'),
    loadTheirs: () => resolution.mutate('theirs'),
    isResolving: resolution.isPending,
    error: resolution.error,
  };
}

function storeOf(workflowId: string): DraftStore<SaveDraftBody> {
  return {
    save: (body, tag, signal) => saveDraft(workflowId, body, { tag, signal }),
    remove: (tag, signal) => deleteDraft(workflowId, tag, signal),
    async read(signal) {
      const draft = await readDraft(workflowId, signal);
      return draft && { content: draft, tag: draft.tag };
    },
    isSame: isSameDraft,
    isConflict: (error) => error instanceof ApiError && error.status === 412,
  };
}
