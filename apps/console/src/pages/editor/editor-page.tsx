import type { Definition, NodeTypeEntry, Workflow } from '@deckhand/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useBlocker } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { useCallback, useMemo, useState } from 'react';
import { type ReadDraft, readDraft } from '../../api/drafts.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { nodeTypesQuery, workflowQuery } from '../../api/workflows.ts';
import { moveNodes } from '../../editor/edits.ts';
import { readKeptEdit } from '../../editor/kept-edit.ts';
import { useDraft } from '../../editor/use-draft.ts';
import { useEditor } from '../../editor/use-editor.ts';
import { useSave } from '../../editor/use-save.ts';
import { placeNodes } from '../../graph/layout.ts';
import { Broken } from '../../components/broken.tsx';
import { Loading } from '../../components/loading.tsx';
import { i18n } from '../../language/i18n.ts';
import { readSession } from '../../session/store.ts';
import { Comparison } from '../comparison/comparison.tsx';
import { Workbench } from './workbench.tsx';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

const EMPTY: Definition = { nodes: [], edges: [] };

/** The editor of a workflow, or the comparison of two of its versions. */
export function EditorPage() {
  const { workflowId } = route.useParams();
  const { can } = useWorkspace();
  const queryClient = useQueryClient();
  const isEditor = can('editor');
  // Editing starts from what is stored now, never from the cache.
  const opened = useQuery({
    queryKey: ['opened-workflow', workflowId, isEditor],
    async queryFn() {
      const workflow = await queryClient.query({ ...workflowQuery(workflowId), staleTime: 0 });
      const hasDraft = isEditor && !workflow.managed && workflow.draftUpdatedAt !== null;
      return { workflow, draft: hasDraft ? await readDraft(workflowId) : null };
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  const types = useQuery(nodeTypesQuery);
  const error = opened.error ?? types.error;
  if (opened.data && types.data) {
    return <Ready key={workflowId} opened={opened.data} entries={types.data.data} />;
  }
  if (error) return <Broken error={error} reset={() => void Promise.all([opened.refetch(), types.refetch()])} />;
  return <Loading />;
}

/** The edited definition is kept while versions are compared. */
function Ready({
  opened,
  entries,
}: {
  opened: { workflow: Workflow; draft: ReadDraft | null };
  entries: readonly NodeTypeEntry[];
}) {
  const { before, after } = route.useSearch();
  const { can, user } = useWorkspace();
  const { data: workflow = opened.workflow } = useQuery(workflowQuery(opened.workflow.id));
  const isReadOnly = !can('editor') || workflow.managed;
  const [kept] = useState(() =>
    isReadOnly ? undefined : readKeptEdit({ userId: user.id, workflowId: opened.workflow.id }),
  );
  const draft = kept ?? opened.draft;
  const types = useMemo(() => new Map(entries.map((entry) => [entry.type, entry])), [entries]);
  const place = useCallback((definition: Definition) => moveNodes(definition, placeNodes(definition, types)), [types]);
  const editor = useEditor({
    definition: draft?.definition ?? opened.workflow.definition ?? EMPTY,
    isDraft: draft !== null,
    isReadOnly,
    place,
  });
  const saving = useSave(workflow, editor, draft ? draft.baseVersionId : opened.workflow.latestVersionId);
  const sync = useDraft(workflow, { editor, saving, tag: draft?.tag ?? null, isKept: kept !== undefined });
  useBlocker({
    // Once the session has ended, nothing can be saved: the edit is kept.
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname &&
      readSession() !== undefined &&
      !(await sync.settle()) &&
      !window.confirm(i18n.t('Leave without saving?')),
    enableBeforeUnload: () => saving.isPending || (editor.isDirty && sync.state !== 'saved'),
  });
  if (after === undefined) {
    return (
      <ReactFlowProvider>
        <Workbench
          workflow={workflow}
          entries={entries}
          types={types}
          editor={editor}
          saving={saving}
          sync={sync}
          isReadOnly={isReadOnly}
        />
      </ReactFlowProvider>
    );
  }
  return (
    <Comparison
      workflow={workflow}
      types={types}
      canvas={editor.definition}
      isDirty={editor.isDirty}
      saving={saving}
      isReadOnly={isReadOnly}
      before={before}
      after={after}
    />
  );
}
