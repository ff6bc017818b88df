import type { ExecutionEntry, PageOf, WorkflowEntry, WorkspaceEntry } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** What the people of a workspace have done already. */
export interface FirstSteps {
  /** The workflow that was changed last; undefined while there is none. */
  readonly workflowId: string | undefined;
  readonly hasRun: boolean;
  readonly hasActive: boolean;
  readonly hasAlerts: boolean;
}

/** Reads the first steps of a workspace. */
export const firstStepsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['first-steps', workspaceId],
    async queryFn({ signal }): Promise<FirstSteps> {
      const query = { workspaceId, limit: 1 };
      const [workflows, active, runs, workspace] = await Promise.all([
        call<PageOf<WorkflowEntry>>('GET', '/api/workflows', { query, signal }),
        call<PageOf<WorkflowEntry>>('GET', '/api/workflows', { query: { ...query, status: 'active' }, signal }),
        call<PageOf<ExecutionEntry>>('GET', '/api/executions', { query, signal }),
        call<WorkspaceEntry>('GET', `/api/workspaces/${workspaceId}`, { signal }),
      ]);
      return {
        workflowId: workflows.data[0]?.id,
        hasRun: runs.data.length > 0,
        hasActive: active.data.length > 0,
        hasAlerts: workspace.errorWorkflowId !== null,
      };
    },
  });
