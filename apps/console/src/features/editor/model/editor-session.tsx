import type { Workflow } from '@deckhand/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { deleteDraft, type ReadDraft, readDraft, saveDraft } from '../../../api/drafts.ts';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { saveVersion, workflowQuery } from '../../../api/workflows.ts';
import { isAllAt } from '../../../forms/issue-at.ts';
import type { NodeTypes } from '../../../graph/handles.ts';
import { readSession, watchSession } from '../../../session/store.ts';
import { type CanvasContent, DraftSync } from '../saving/draft-sync.ts';
import { type DraftState, type DraftStore, DraftWriter } from '../saving/draft-writer.ts';
import { EditorModel, type EditorState, parsePins, pinnedOutputs } from './editor-model.ts';
import { isAboutDefinition } from './issues.ts';
import { forgetKeptEdit, keepEdit, readKeptEdit } from '../saving/kept-edit.ts';
import { isSameDraft } from '../saving/same-draft.ts';
import { VersionSaver } from '../saving/version-saver.ts';
import { SETTING_PATHS } from '../settings/setting-paths.ts';

/** A workflow in the editor: what is edited, and what saves it. */
export interface EditorSession {
  readonly workflow: Workflow;
  readonly model: EditorModel;
  readonly versions: VersionSaver;
  readonly drafts: DraftSync;
}

/** Provides the session to the parts of the editor. */
export const EditorContext = createContext<EditorSession | undefined>(undefined);

/** Returns the session of the editor around the component. */
export function useEditorSession(): EditorSession {
  const session = use(EditorContext);
  if (!session) throw new Error('There is an EditorContext around this component only in the editor');
  return session;
}

/**
 * Returns a part of the editor's state, and renders again when that part has changed.
 * @param select must return the same object while the part is the same.
 */
export function useEditor<T>(select: (state: EditorState) => T): T {
  const { model } = useEditorSession();
  return useSyncExternalStore(model.watch, () => select(model.read()));
}

/** Returns whether the draft is saved. */
export function useDraftState(): DraftState {
  const { drafts } = useEditorSession();
  return useSyncExternalStore(drafts.watch, drafts.readState);
}

/** Returns the pinned outputs of nodes on the canvas, by node id. */
export function usePinnedOutputs() {
  const { model } = useEditorSession();
  const pins = useEditor((state) => state.pins);
  const nodes = useEditor(({ history }) => history.present.nodes);
  return useMemo(() => pinnedOutputs(pins, { nodes }, model.types), [pins, nodes, model]);
}

/**
 * Creates the session of a workflow, and keeps it for as long as the component is there.
 * @param opened what was stored when the editor was opened. @param selected the id of the node that is selected first.
 */
export function useCreateSession({
  opened,
  workflow,
  types,
  selected,
  isReadOnly,
}: {
  opened: { readonly workflow: Workflow; readonly draft: ReadDraft | null };
  /** The workflow as it is now. */
  workflow: Workflow;
  types: NodeTypes;
  selected: string | undefined;
  isReadOnly: boolean;
}): EditorSession {
  const queryClient = useQueryClient();
  const { user } = useWorkspace();
  const { id } = workflow;
  // While the browser is offline, it waits.
  const { mutateAsync } = useMutation({
    mutationFn: (body: Parameters<typeof saveVersion>[1]) => saveVersion(id, body),
  });
  const [session] = useState(() => {
    const place = { userId: user.id, workflowId: id };
    const kept = isReadOnly ? undefined : readKeptEdit(place);
    const draft = kept ?? opened.draft;
    const model = new EditorModel({
      definition: draft?.definition ?? opened.workflow.definition ?? { nodes: [], edges: [] },
      isDraft: draft !== null,
      draftWarnings: kept ? [] : (opened.draft?.warnings ?? []),
      baseVersionId: draft ? draft.baseVersionId : opened.workflow.latestVersionId,
      selected: new Set(selected === undefined ? [] : [selected]),
      pins: parsePins(sessionStorage.getItem(placeOfPins(id))),
      isReadOnly,
      types,
      storePins: (pins) => storePins(id, JSON.stringify(pins)),
    });
    const versions = new VersionSaver(model, {
      saveVersion: mutateAsync,
      readLatest: () => queryClient.query({ ...workflowQuery(id), staleTime: 0 }),
      async onSaved() {
        await queryClient.invalidateQueries({ queryKey: workflowQuery(id).queryKey });
        await queryClient.invalidateQueries({ queryKey: ['versions', id] });
      },
      // Issues of the definition are shown on the canvas or at their fields.
      onFailed(error) {
        if (isAllAt(error, SETTING_PATHS)) model.open({ kind: 'settings' });
        else if (isAboutDefinition(error)) model.close('comment');
      },
    });
    const drafts = new DraftSync(model, versions, new DraftWriter(draftStore(id, model), draft?.tag ?? null));
    return { model, versions, drafts, place, isKept: kept !== undefined };
  });
  const { model, versions, drafts, place, isKept } = session;
  useEffect(() => model.setReadOnly(isReadOnly), [model, isReadOnly]);
  useEffect(() => {
    // For as long as the writer lives: what is in flight may be saved after the page is left.
    drafts.watch(() => {
      if (drafts.readState() === 'saved') forgetKeptEdit(place);
    });
    const stopFollowing = drafts.follow(isKept);
    const stopKeeping = watchSession(() => {
      const unsaved = readSession() ? undefined : drafts.readUnsaved();
      if (unsaved) keepEdit(place, unsaved);
    });
    return () => {
      stopKeeping();
      stopFollowing();
    };
  }, [drafts, place, isKept]);
  return useMemo(() => ({ workflow, model, versions, drafts }), [workflow, model, versions, drafts]);
}

const placeOfPins = (workflowId: string): string => `deckhand.pins.${workflowId}`;

/** Stores pinned outputs in this tab only: they may be confidential. */
function storePins(workflowId: string, pins: string): void {
  try {
    sessionStorage.setItem(placeOfPins(workflowId), pins);
  } catch {
    // The storage is full: they are there until the page is left.
  }
}

function draftStore(workflowId: string, model: EditorModel): DraftStore<CanvasContent> {
  return {
    async save(body, tag, signal) {
      const saved = await saveDraft(workflowId, body, { tag, signal });
      model.markDrafted(body.definition, saved.warnings);
      return saved.tag;
    },
    remove: (tag, signal) => deleteDraft(workflowId, tag, signal),
    async read(signal) {
      const draft = await readDraft(workflowId, signal);
      return draft && { content: draft, tag: draft.tag };
    },
    isSame: isSameDraft,
    isConflict: (error) => error instanceof ApiError && error.status === 412,
  };
}
