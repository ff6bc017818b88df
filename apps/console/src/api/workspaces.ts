import type { EventSecret, UpdateWorkspaceBody, WorkspaceEntry, WorkspaceUsageAndLimits } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** A workspace with its settings. */
export const workspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId],
    queryFn: ({ signal }) => call<WorkspaceEntry>('GET', `/api/workspaces/${workspaceId}`, { signal }),
  });

export const createWorkspace = (name: string): Promise<WorkspaceEntry> =>
  call('POST', '/api/workspaces', { body: { name } });
export const updateWorkspace = (workspaceId: string, body: UpdateWorkspaceBody): Promise<WorkspaceEntry> =>
  call('PATCH', `/api/workspaces/${workspaceId}`, { body });
export const deleteWorkspace = (workspaceId: string): Promise<null> => call('DELETE', `/api/workspaces/${workspaceId}`);

/** The usage of a workspace and its limits, as its members may see them. */
export const workspaceUsageQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace-usage', workspaceId],
    queryFn: ({ signal }) => call<WorkspaceUsageAndLimits>('GET', `/api/workspaces/${workspaceId}/usage`, { signal }),
  });

/** Reads the secrets that sign the callbacks of runs. Each read is recorded in the audit log. */
export const readCallbackSecrets = (workspaceId: string): Promise<{ data: EventSecret[] }> =>
  call('GET', `/api/workspaces/${workspaceId}/callback-secrets`);
export const rotateCallbackSecret = (workspaceId: string): Promise<EventSecret> =>
  call('POST', `/api/workspaces/${workspaceId}/callback-secrets/rotate`, { body: {} });
