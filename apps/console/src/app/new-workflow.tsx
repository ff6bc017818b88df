import { useWorkspace } from '../api/use-workspace.ts';
import { CreateWorkflow } from '../features/workflows/create-workflow.tsx';

/** Creates a workflow from any page, at the top level. */
export function NewWorkflow({ onClose }: { onClose: () => void }) {
  const { workspaceId } = useWorkspace();
  return <CreateWorkflow workspaceId={workspaceId} folder={undefined} isOpen onClose={onClose} />;
}
