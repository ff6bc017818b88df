import type { CreateVariableBody, PageOf, UpdateVariableBody, VariableEntry } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The variables of a workspace. */
export const variablesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['variables', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<VariableEntry>>('GET', '/api/variables', { query: { workspaceId, limit: 500 }, signal }),
  });

export const createVariable = (body: CreateVariableBody): Promise<VariableEntry> =>
  call('POST', '/api/variables', { body });
export const updateVariable = (id: string, body: UpdateVariableBody): Promise<VariableEntry> =>
  call('PATCH', `/api/variables/${id}`, { body });
export const deleteVariable = (id: string): Promise<null> => call('DELETE', `/api/variables/${id}`);
