import type {
  CreateWorkflowBody,
  NodeTypeEntry,
  PageOf,
  Version,
  Workflow,
  WorkflowEntry,
  WorkflowStatus,
} from '@deckhand/contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './call.js';

/** What a list of workflows is narrowed by. */
export interface WorkflowFilter {
  readonly search?: string | undefined;
  readonly status?: WorkflowStatus | undefined;
}

/** The workflows of a workspace, page by page. */
export const workflowsQuery = (workspaceId: string, filter: WorkflowFilter) =>
  infiniteQueryOptions({
    queryKey: ['workflows', workspaceId, filter],
    queryFn: ({ pageParam, signal }) =>
      call<PageOf<WorkflowEntry>>('GET', '/api/workflows', {
        query: { workspaceId, ...filter, limit: 100, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, hasMore }) => (hasMore ? offset + limit : undefined),
  });

/** A workflow with its latest definition. */
export const workflowQuery = (workflowId: string) =>
  queryOptions({
    queryKey: ['workflow', workflowId],
    queryFn: ({ signal }) => call<Workflow>('GET', `/api/workflows/${workflowId}`, { signal }),
  });

/** A saved version; it never changes. */
export const versionQuery = (workflowId: string, versionId: string) =>
  queryOptions({
    queryKey: ['version', workflowId, versionId],
    queryFn: ({ signal }) => call<Version>('GET', `/api/workflows/${workflowId}/versions/${versionId}`, { signal }),
    staleTime: Infinity,
  });

/** Every node type; they change with the service only. */
export const nodeTypesQuery = queryOptions({
  queryKey: ['node-types'],
  queryFn: ({ signal }) => call<PageOf<NodeTypeEntry>>('GET', '/api/node-types', { query: { limit: 500 }, signal }),
  staleTime: Infinity,
});

export const createWorkflow = (body: CreateWorkflowBody): Promise<Workflow> => call('POST', '/api/workflows', { body });
