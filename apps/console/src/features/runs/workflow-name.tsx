import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../api/use-workspace.ts';
import { workflowNamesQuery } from '../../api/workflow-names.ts';
import { workflowQuery } from '../../api/workflows.ts';
import { i18n } from '../../language/i18n.ts';

/** Returns the name of a workflow; the beginning of its id once it is deleted. */
export function useWorkflowName(workflowId: string): string {
  const { workspaceId } = useWorkspace();
  const names = useQuery(workflowNamesQuery(workspaceId));
  const listed = names.data?.get(workflowId);
  const single = useQuery({ ...workflowQuery(workflowId), enabled: names.isSuccess && listed === undefined });
  return (
    listed ??
    single.data?.name ??
    (single.isError ? i18n.t('Deleted workflow {id}', { id: workflowId.slice(0, 8) }) : '…')
  );
}

/** The name of a workflow in a list. */
export function WorkflowName({ workflowId }: { workflowId: string }) {
  return <>{useWorkflowName(workflowId)}</>;
}
