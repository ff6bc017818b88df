import {
  type ActivationEntry,
  type CreateWorkflowBody,
  type ExecuteResponse,
  type ExecuteBody,
  type ImportedWorkflow,
  type ImportN8nBody,
  type NodeTypeEntry,
  type PageOf,
  type SavedVersion,
  type ScheduleTimes,
  type SaveVersionBody,
  type UpdateWorkflowBody,
  parseOwnJson,
  type Version,
  type VersionEntry,
  type WebhookDelivery,
  type WebhookTestUrl,
  type Workflow,
  type WorkflowEntry,
  type WorkflowImportReport,
  type WorkflowStatus,
} from '@deckhand/contracts';
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import type { NodeTypes } from '../graph/handles.ts';
import { servedText } from '../language/served-text.ts';
import { call, send } from './call.ts';

/** Filters of a list of workflows. */
export interface WorkflowFilter {
  readonly search?: string | undefined;
  readonly status?: WorkflowStatus | undefined;
  /** A folder, or `none` for the workflows that are in no folder. */
  readonly folderId?: string | undefined;
  /** With `folderId`: include its subfolders. */
  readonly includeInnerFolders?: boolean | undefined;
  readonly sortBy?: 'updatedAt' | 'createdAt' | 'name' | undefined;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
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

/** Reads a workflow, with its tag for `updateWorkflow`. */
export async function readTaggedWorkflow(id: string): Promise<{ workflow: Workflow; tag: string }> {
  const answer = await send('GET', `/api/workflows/${id}`);
  return { workflow: parseOwnJson<Workflow>(await answer.text()), tag: answer.headers.get('etag') ?? '' };
}

/** A saved version; it never changes. */
export const versionQuery = (workflowId: string, versionId: string) =>
  queryOptions({
    queryKey: ['version', workflowId, versionId],
    queryFn: ({ signal }) => call<Version>('GET', `/api/workflows/${workflowId}/versions/${versionId}`, { signal }),
    staleTime: Infinity,
  });

/** The saved versions of a workflow, the newest first: up to 500 of them. */
export const versionsQuery = (workflowId: string) =>
  queryOptions({
    queryKey: ['versions', workflowId],
    queryFn: ({ signal }) =>
      call<PageOf<VersionEntry>>('GET', `/api/workflows/${workflowId}/versions`, { query: { limit: 500 }, signal }),
  });

/** Every node type by name; they change with the service only. */
export const nodeTypesQuery = queryOptions({
  queryKey: ['node-types'],
  async queryFn({ signal }): Promise<NodeTypes> {
    const page = await call<PageOf<NodeTypeEntry>>('GET', '/api/node-types', { query: { limit: 500 }, signal });
    const translate = (type: NodeTypeEntry): NodeTypeEntry => ({
      ...type,
      title: servedText(type.title),
      description: servedText(type.description),
      summary: type.summary.map(({ text, join, ...line }) => ({
        ...line,
        text: servedText(text),
        ...(join !== undefined && { join: servedText(join) }),
      })),
    });
    return new Map(page.data.map((type) => [type.type, translate(type)]));
  },
  staleTime: Infinity,
});

const NO_TYPES: NodeTypes = new Map();

/** Returns every node type by name; none until they are loaded. */
export const useNodeTypes = (): NodeTypes => useQuery(nodeTypesQuery).data ?? NO_TYPES;

export const createWorkflow = (body: CreateWorkflowBody): Promise<Workflow> => call('POST', '/api/workflows', { body });
export const importN8n = (body: ImportN8nBody): Promise<ImportedWorkflow> =>
  call('POST', '/api/workflows/import/n8n', { body });
/** What is left to do of the import of a workflow. */
export const importReportQuery = (workflowId: string) =>
  queryOptions({
    queryKey: ['import-report', workflowId],
    queryFn: ({ signal }) =>
      call<WorkflowImportReport>('GET', `/api/workflows/${workflowId}/import-report`, { signal }),
  });
export const dismissImportReport = (workflowId: string): Promise<null> =>
  call('DELETE', `/api/workflows/${workflowId}/import-report`);
/** @param ifMatch changes nothing unless this is still the tag of the workflow. */
export const updateWorkflow = (id: string, body: UpdateWorkflowBody, ifMatch?: string): Promise<Workflow> =>
  call('PATCH', `/api/workflows/${id}`, { body, ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }) });
export const duplicateWorkflow = (id: string, name: string): Promise<Pick<Workflow, 'id'>> =>
  call('POST', `/api/workflows/${id}/duplicate`, { body: { name } });
export const deleteWorkflow = (id: string): Promise<null> => call('DELETE', `/api/workflows/${id}`);
export const saveVersion = (id: string, body: SaveVersionBody): Promise<SavedVersion> =>
  call('POST', `/api/workflows/${id}/versions`, { body });
export const execute = (id: string, body: ExecuteBody): Promise<ExecuteResponse> =>
  call('POST', `/api/workflows/${id}/execute`, { body });
export const openWebhookTest = (id: string, nodeId: string): Promise<WebhookTestUrl> =>
  call('POST', `/api/workflows/${id}/webhooks/${nodeId}/test`);

export const changeWebhookUrl = (id: string, nodeId: string): Promise<unknown> =>
  call('POST', `/api/workflows/${id}/webhooks/${nodeId}/url`, { body: {} });

/** The latest requests to the webhooks of a workflow. */
export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) =>
      call<PageOf<WebhookDelivery>>('GET', `/api/workflows/${id}/deliveries`, { query: { limit: 500 }, signal }),
  });
export const replayWebhook = (id: string, deliveryId: string): Promise<ExecuteResponse> =>
  call('POST', `/api/workflows/${id}/deliveries/${deliveryId}/replay`);

/** The latest activations and deactivations of a workflow. */
export const activationsQuery = (id: string) =>
  queryOptions({
    queryKey: ['activations', id],
    queryFn: ({ signal }) =>
      call<PageOf<ActivationEntry>>('GET', `/api/workflows/${id}/activations`, { query: { limit: 100 }, signal }),
  });

/** The next times of a cron expression. */
export const scheduleTimesQuery = (cron: string, timezone: string) =>
  queryOptions({
    queryKey: ['schedule-times', cron, timezone],
    queryFn: ({ signal }) => call<ScheduleTimes>('GET', '/api/schedules/times', { query: { cron, timezone }, signal }),
  });
