import type {
  ApprovalEntry,
  FileValue,
  HumanTaskEntry,
  JsonObject,
  PageOf,
  RecordedResponse,
  SubmitApprovalBody,
} from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** How often open approvals are fetched, in ms. */
const LIVE_MS = 5_000;

/** The open approvals of a workspace. */
export const approvalsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['approvals', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<ApprovalEntry>>('GET', '/api/approvals', { query: { workspaceId, limit: 500 }, signal }),
    refetchInterval: LIVE_MS,
  });

/** The open forms of a workspace. */
export const humanTasksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['human-tasks', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<HumanTaskEntry>>('GET', '/api/human-tasks', { query: { workspaceId, limit: 500 }, signal }),
    refetchInterval: LIVE_MS,
  });

export const submitApproval = (body: SubmitApprovalBody): Promise<RecordedResponse> =>
  call('POST', '/api/approvals/submit', { body });
export const completeHuman = (
  { executionId, nodeId, waitId }: HumanTaskEntry,
  data: JsonObject,
): Promise<RecordedResponse> =>
  call('POST', `/api/executions/${executionId}/nodes/${encodeURIComponent(nodeId)}/complete`, {
    body: { data, waitId },
  });

/** Stores a file for a form of a run. */
export const uploadFile = ({ workflowId }: HumanTaskEntry, file: File): Promise<FileValue> =>
  call('POST', `/api/workflows/${workflowId}/files`, {
    query: { name: file.name },
    headers: { 'content-type': file.type || 'application/octet-stream' },
    file,
  });
