import type { InstanceSettings, WorkspaceLimits, WorkspaceUsage } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

const USAGE_MS = 15_000;

/** The limits of a workspace; for administrators of the instance, like everything here. */
export const limitsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['limits', workspaceId],
    queryFn: ({ signal }) => call<WorkspaceLimits>('GET', `/api/admin/workspaces/${workspaceId}/limits`, { signal }),
  });

/** The usage of a workspace. */
export const usageQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['usage', workspaceId],
    queryFn: ({ signal }) => call<WorkspaceUsage>('GET', `/api/admin/workspaces/${workspaceId}/usage`, { signal }),
    refetchInterval: USAGE_MS,
  });

/** Settings of the whole instance. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call<InstanceSettings>('GET', '/api/admin/settings', { signal }),
});

export const writeLimits = (workspaceId: string, body: WorkspaceLimits): Promise<WorkspaceLimits> =>
  call('PUT', `/api/admin/workspaces/${workspaceId}/limits`, { body });
export const writeSettings = (body: InstanceSettings): Promise<InstanceSettings> =>
  call('PUT', '/api/admin/settings', { body });
