import type { Workflow } from '@deckhand/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useBlocker } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { type ReadDraft, readDraft } from '../../api/drafts.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { nodeTypesQuery, workflowQuery } from '../../api/workflows.ts';
import { Broken } from '../../components/broken.tsx';
import { Loading } from '../../components/loading.tsx';
import type { NodeTypes } from '../../graph/handles.ts';
import { hasChanges } from './model/editor-model.ts';
import { EditorContext, useCreateSession } from './model/editor-session.tsx';
import { i18n } from '../../language/i18n.ts';
import { readSession } from '../../session/store.ts';
import { Comparison } from '../versions/comparison.tsx';
import { Workbench } from './workbench.tsx';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

/** The editor of a workflow, or the comparison of two of its versions. */
export function EditorPage() {
  const { workflowId } = route.useParams();
  const { can } = useWorkspace();
  const queryClient = useQueryClient();
  const isEditor = can('workflows.edit');
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
    return <Ready key={workflowId} opened={opened.data} types={types.data} />;
  }
  if (error) return <Broken error={error} reset={() => void Promise.all([opened.refetch(), types.refetch()])} />;
  return <Loading />;
}

/** What is edited is kept while versions are compared. */
function Ready({ opened, types }: { opened: { workflow: Workflow; draft: ReadDraft | null }; types: NodeTypes }) {
  const { before, after, node } = route.useSearch();
  const { can } = useWorkspace();
  const { data: workflow = opened.workflow } = useQuery(workflowQuery(opened.workflow.id));
  const isReadOnly = !can('workflows.edit') || workflow.managed;
  const session = useCreateSession({ opened, workflow, types, selected: node, isReadOnly });
  const { model, drafts } = session;
  useBlocker({
    // Once the session has ended, nothing can be saved: the edit is kept.
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname &&
      readSession() !== undefined &&
      !(await drafts.settle()) &&
      !window.confirm(i18n.t('Leave without saving?')),
    enableBeforeUnload: () =>
      model.read().save.kind === 'pending' || (hasChanges(model.read()) && drafts.readState() !== 'saved'),
  });
  return (
    <EditorContext value={session}>
      {after === undefined ? (
        <ReactFlowProvider>
          <Workbench />
        </ReactFlowProvider>
      ) : (
        <Comparison before={before} after={after} />
      )}
    </EditorContext>
  );
}
