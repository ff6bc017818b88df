import type { CreateVariableBody, PageOf, UpdateVariableBody, VariableEntry, VariableUse } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The variables of a workspace. */
export const variablesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['variables', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<VariableEntry>>('GET', '/api/variables', { query: { workspaceId, limit: 500 }, signal }),
  });

/** The workflows that read a variable by its name; of many, the first. */
export const variableUsesQuery = (id: string) =>
  queryOptions({
    queryKey: ['variable-uses', id],
    queryFn: ({ signal }) => call<{ data: VariableUse[] }>('GET', `/api/variables/${id}/workflows`, { signal }),
    // Workflows may have changed when it is asked for again.
    gcTime: 0,
  });

export const createVariable = (body: CreateVariableBody): Promise<VariableEntry> =>
  call('POST', '/api/variables', { body });
export const updateVariable = (id: string, body: UpdateVariableBody): Promise<VariableEntry> =>
  call('PATCH', `/api/variables/${id}`, { body });
export const deleteVariable = (id: string): Promise<null> => call('DELETE', `/api/variables/${id}`);
