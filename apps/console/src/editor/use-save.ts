import type { Definition, SavedVersion, Workflow } from '@deckhand/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiFault } from '../api/api-fault.js';
import { saveVersion, workflowQuery } from '../api/workflows.js';
import { faultsByNode } from './faults.js';
import type { Editor } from './use-editor.js';

/** Saving what is on the canvas. */
export interface Saving {
  readonly isPending: boolean;
  /** Why it was not saved; a stale save is not among them. */
  readonly error: unknown;
  /** What is wrong, by node. */
  readonly faults: ReadonlyMap<string, string>;
  /** Somebody saved in between. */
  readonly isStale: boolean;
  /** Saves unless there is nothing to save. @throws what is also in `error`. */
  readonly save: () => Promise<void>;
  /** Saves on top of what somebody else saved. */
  readonly saveOnTop: () => Promise<void>;
  /** Takes what somebody else saved. */
  readonly takeTheirs: () => Promise<void>;
  readonly forgetStale: () => void;
}

const NO_FAULTS: ReadonlyMap<string, string> = new Map();

/** Saves versions, each on the one that the editing began with. */
export function useSave(workflow: Workflow, editor: Editor): Saving {
  const queryClient = useQueryClient();
  const [baseVersionId, setBase] = useState(workflow.latestVersionId);
  const [isStale, setStale] = useState(false);
  const mutation = useMutation({
    mutationFn: ({ definition, base }: { definition: Definition; base: string | null }): Promise<SavedVersion> =>
      saveVersion(workflow.id, { definition, ...(base === null ? {} : { baseVersionId: base }) }),
    async onSuccess({ workflowVersionId }, { definition }) {
      setBase(workflowVersionId);
      setStale(false);
      editor.markSaved(definition);
      await queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey });
      await queryClient.invalidateQueries({ queryKey: ['versions', workflow.id] });
    },
    onError: (error) => setStale(isStaleSave(error)),
  });
  const readLatest = (): Promise<Workflow> => queryClient.query({ ...workflowQuery(workflow.id), staleTime: 0 });
  const { error, variables } = mutation;
  return {
    isPending: mutation.isPending,
    error: isStaleSave(error) ? null : error,
    // They belong to what was sent: an edit since may have mended them.
    faults:
      error instanceof ApiFault && variables?.definition === editor.definition
        ? faultsByNode(variables.definition, error.faults)
        : NO_FAULTS,
    isStale,
    async save() {
      if (editor.isDirty) await mutation.mutateAsync({ definition: editor.definition, base: baseVersionId });
    },
    async saveOnTop() {
      const { latestVersionId } = await readLatest();
      await mutation.mutateAsync({ definition: editor.definition, base: latestVersionId });
    },
    async takeTheirs() {
      const { latestVersionId, definition } = await readLatest();
      setBase(latestVersionId);
      setStale(false);
      if (definition) editor.load(definition);
    },
    forgetStale: () => setStale(false),
  };
}

function isStaleSave(error: unknown): boolean {
  return error instanceof ApiFault && error.code === 'CONFLICT';
}
