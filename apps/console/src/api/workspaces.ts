import type { WorkspaceEntry } from '@deckhand/contracts';
import { call } from './call.js';

export const createWorkspace = (name: string): Promise<WorkspaceEntry> =>
  call('POST', '/api/workspaces', { body: { name } });
