import type { NodeTypeEntry, Workflow } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { nodeTypesQuery, workflowQuery } from '../../api/workflows.js';
import { Broken } from '../../parts/broken.js';
import { Loading } from '../../parts/loading.js';
import { Workbench } from './workbench.js';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

/** A workflow on the workbench. */
export function EditorPage() {
  const { workflowId } = route.useParams();
  const workflow = useQuery(workflowQuery(workflowId));
  const types = useQuery(nodeTypesQuery);
  const error = workflow.error ?? types.error;
  if (workflow.data && types.data) {
    return <Ready key={workflowId} workflow={workflow.data} types={types.data.data} />;
  }
  if (error) return <Broken error={error} reset={() => void Promise.all([workflow.refetch(), types.refetch()])} />;
  return <Loading />;
}

function Ready({ workflow, types }: { workflow: Workflow; types: readonly NodeTypeEntry[] }) {
  return (
    <ReactFlowProvider>
      <Workbench workflow={workflow} entries={types} />
    </ReactFlowProvider>
  );
}
