import type { PageOf, ScheduleEntry, WorkflowSchedule } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The schedules of the active workflows of a workspace, the next one first. */
export const schedulesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['schedules', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<ScheduleEntry>>('GET', '/api/schedules', { query: { workspaceId, limit: 500 }, signal }),
  });

export const pauseSchedule = (workflowId: string, nodeId: string): Promise<WorkflowSchedule> =>
  call('POST', `/api/workflows/${workflowId}/schedules/${nodeId}/pause`);
export const resumeSchedule = (workflowId: string, nodeId: string): Promise<WorkflowSchedule> =>
  call('POST', `/api/workflows/${workflowId}/schedules/${nodeId}/resume`);
