import type { Definition, SavedVersion, Workflow } from '@deckhand/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { saveVersion, workflowQuery } from '../api/workflows.ts';
import { notify } from '../components/notice-board.ts';
import { i18n } from '../language/i18n.ts';
import { type DescribedIssue, describeIssues, isAboutDefinition } from './issues.ts';
import type { Editor } from './use-editor.ts';

/** Saves the definition on the canvas. */
export interface Saving {
  readonly isPending: boolean;
  /** The version that the next save is based on; null before the first save. */
  readonly baseVersionId: string | null;
  /** The error of the last save; null if it is about the definition: then there are issues, or the save was stale. */
  readonly error: unknown;
  /** The refusal of the definition on the canvas. An edit clears it, because it may have fixed the issue. */
  readonly refusal: ApiError | null;
  /** The comment of the refused version. */
  readonly comment: string;
  /** The issues of the definition on the canvas. */
  readonly issues: readonly DescribedIssue[];
  /** Whether another version was saved meanwhile. */
  readonly isStale: boolean;
  /** Saves if there are changes. @returns the version that the canvas shows. @throws what is also in `error`. */
  readonly save: (comment?: string) => Promise<string | null>;
  /** Waits for a save in flight. @returns the definition that was saved last. */
  readonly settle: () => Promise<Definition | undefined>;
  /** Saves as the latest version, after the one that was saved meanwhile, with the comment of the refused save. */
  readonly saveOnTop: () => Promise<void>;
  /** Replaces the canvas by the version that was saved meanwhile. */
  readonly takeTheirs: () => Promise<void>;
  /** Bases the next save on another version, with the canvas that was loaded. */
  readonly rebase: (versionId: string | null) => void;
  /** Clears the error, and continues editing. */
  readonly forget: () => void;
}

/** A save request. */
interface Save {
  readonly definition: Definition;
  readonly comment: string;
}

const NO_ISSUES: readonly DescribedIssue[] = [];

/** Saves versions, each based on the one that the editing started from. */
export function useSave(workflow: Workflow, editor: Editor, initialBaseId: string | null): Saving {
  const queryClient = useQueryClient();
  const [baseVersionId, setBaseVersionId] = useState(initialBaseId);
  const [isStale, setStale] = useState(false);
  // A save may be asked for before the page is rendered with the result of the one before.
  const base = useRef(initialBaseId);
  const saved = useRef<Definition>(undefined);
  const running = useRef<Promise<unknown>>(Promise.resolve());
  const setBase = (versionId: string | null): void => {
    base.current = versionId;
    setBaseVersionId(versionId);
  };
  const mutation = useMutation({
    // Saves follow one another, each based on the version of the one before.
    scope: { id: `save ${workflow.id}` },
    async mutationFn({ definition, comment }: Save): Promise<SavedVersion | null> {
      if (definition === saved.current) return null;
      const baseVersion = base.current === null ? {} : { baseVersionId: base.current };
      const version = await saveVersion(workflow.id, { definition, comment, ...baseVersion });
      base.current = version.workflowVersionId;
      saved.current = definition;
      return version;
    },
    async onSuccess(version, { definition }) {
      if (version === null) return;
      setBase(version.workflowVersionId);
      setStale(false);
      editor.markSaved(definition);
      const [warning, ...others] = version.warnings;
      if (warning) {
        notify(
          others.length > 0
            ? i18n.t('{warning}, and {count} more warnings', { warning: warning.message, count: others.length })
            : warning.message,
        );
      }
      await queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey });
      await queryClient.invalidateQueries({ queryKey: ['versions', workflow.id] });
    },
    onError: (error) => setStale(isStaleSave(error)),
  });
  const store = async (comment: string): Promise<void> => {
    const saving = mutation.mutateAsync({ definition: editor.definition, comment });
    running.current = saving.catch(() => undefined);
    await saving;
  };
  const readLatest = (): Promise<Workflow> => queryClient.query({ ...workflowQuery(workflow.id), staleTime: 0 });
  const { error, variables } = mutation;
  const refusal = error instanceof ApiError && variables?.definition === editor.definition ? error : null;
  const issues = useMemo(
    () => (refusal ? describeIssues(editor.definition, refusal.issues) : NO_ISSUES),
    [refusal, editor.definition],
  );
  return {
    isPending: mutation.isPending,
    baseVersionId,
    error: isAboutDefinition(error) ? null : error,
    refusal,
    comment: mutation.isError ? (variables?.comment ?? '') : '',
    issues,
    isStale,
    async save(comment = '') {
      if (editor.isDirty) await store(comment);
      return base.current;
    },
    async settle() {
      await running.current;
      return saved.current;
    },
    async saveOnTop() {
      setBase((await readLatest()).latestVersionId);
      await store(variables?.comment ?? '');
    },
    async takeTheirs() {
      const { latestVersionId, definition } = await readLatest();
      setBase(latestVersionId);
      setStale(false);
      if (definition) editor.load(definition);
    },
    rebase: setBase,
    forget() {
      setStale(false);
      mutation.reset();
    },
  };
}

function isStaleSave(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'CONFLICT';
}
