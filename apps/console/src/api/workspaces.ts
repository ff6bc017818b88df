import type { UpdateWorkspaceBody, WorkspaceEntry } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.js';

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
