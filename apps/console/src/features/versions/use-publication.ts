import type { Workflow } from '@deckhand/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { readTaggedWorkflow, updateWorkflow, versionQuery, workflowQuery } from '../../api/workflows.ts';
import { notify } from '../../components/notice-board.ts';
import { diffDefinitions } from '../../graph/diff-definitions.ts';
import { i18n } from '../../language/i18n.ts';
import { CANVAS } from './sides.ts';
import { definitionOf, hasChanges } from '../editor/model/editor-model.ts';
import { useEditor, useEditorSession } from '../editor/model/editor-session.tsx';
import { countChanges } from './version-facts.ts';

/** The live version of an active workflow, and what could replace it. */
export interface Publication {
  readonly liveId: string;
  readonly liveNumber: number;
  /** The latest version or, with unsaved changes, the next one; undefined if the latest is live. */
  readonly candidate: { readonly side: string; readonly number: number; readonly changes: number } | undefined;
}

/** Compares the canvas with the live version. Undefined while the workflow is inactive, and until versions are read. */
export function usePublication(): Publication | undefined {
  const { workflow } = useEditorSession();
  const { id, status, latestVersionId } = workflow;
  const isDirty = useEditor(hasChanges);
  const liveId = status === 'active' ? workflow.activeVersionId : null;
  const live = useQuery({ ...versionQuery(id, liveId ?? ''), enabled: liveId !== null }).data;
  const latest = useQuery({
    ...versionQuery(id, latestVersionId ?? ''),
    enabled: liveId !== null && latestVersionId !== null,
  }).data;
  // A drag changes the canvas many times a second.
  const canvas = useDeferredValue(useEditor(definitionOf));
  const next = isDirty ? canvas : latest?.definition;
  const changes = useMemo(
    () => (live && next && live.definition !== next ? countChanges(diffDefinitions(live.definition, next)) : 0),
    [live, next],
  );
  if (liveId === null || !live || !latest) return undefined;
  const isLatestLive = !isDirty && latestVersionId === liveId;
  const candidate = isDirty
    ? { side: CANVAS, number: latest.number + 1, changes }
    : { side: latest.workflowVersionId, number: latest.number, changes };
  return { liveId, liveNumber: live.number, candidate: isLatestLive ? undefined : candidate };
}

/**
 * Makes a version live, and the workflow active if it is not. Changes nothing if somebody else has done either since
 * the workflow was as `seen`.
 *
 * Race: a change between reading the workflow and this one. Its tag excludes that.
 */
export function usePublish(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({ versionId, seen }: { versionId: string | null; seen: Workflow; number?: number }) {
      const { workflow: current, tag } = await readTaggedWorkflow(id);
      if (current.status !== seen.status || current.activeVersionId !== seen.activeVersionId) {
        throw new ApiError(412, {
          error: i18n.t('Somebody else has published a version, or turned the workflow on or off, in the meantime'),
          code: 'PRECONDITION_FAILED',
        });
      }
      // Without a version, the API refuses.
      const version = versionId === null ? {} : { activeVersionId: versionId };
      return updateWorkflow(id, { ...version, status: 'active' }, tag);
    },
    onSuccess: (_, { number }) =>
      notify(
        number === undefined ? i18n.t('The workflow is active.') : i18n.t('Version {number} is live.', { number }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: workflowQuery(id).queryKey }),
  });
}
