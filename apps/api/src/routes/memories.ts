import { InWorkspaceQuery, Memory, MemoryEntry, MemoryQuery, pageOf } from '@deckhand/contracts';
import { deleteAgentMemory, listAgentMemories, readAgentMemoryAs } from '@deckhand/db';
import { queryReader } from '../http/read-request.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const readListQuery = queryReader(InWorkspaceQuery);
const readMemoryQuery = queryReader(MemoryQuery);

/** GET /api/ai/memories */
export function listMemories({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/ai/memories',
    'ai:read',
    {
      summary: 'List the memories of agents',
      description: 'Lists the keys of conversations that agents of a workspace remember.',
      returns: 'Memories by key',
      query: InWorkspaceQuery,
      responses: { 200: pageOf(MemoryEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await listAgentMemories(db, caller, readListQuery(request)));
    },
  );
}

/** GET /api/ai/memories/messages */
export function getMemory({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/ai/memories/messages',
    'ai:read',
    {
      summary: 'Get the memory of a conversation',
      description: 'Returns what agents remember of the conversation with a key.',
      returns: 'The messages, oldest first',
      query: MemoryQuery,
      responses: { 200: Memory },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readAgentMemoryAs(db, caller, readMemoryQuery(request)));
    },
  );
}

/** DELETE /api/ai/memories/messages */
export function deleteMemory({ db }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/ai/memories/messages',
    'ai:write',
    {
      summary: 'Delete the memory of a conversation',
      description: 'Agents begin anew with this key. A run that has not ended may write to it again.',
      query: MemoryQuery,
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await deleteAgentMemory(db, caller, readMemoryQuery(request));
      sendNothing(response);
    },
  );
}
