import type { BulkAction, CreateBulkActionBody } from '@deckhand/contracts';
import { WORKSPACE } from './console.tsx';
import { example } from './contract.ts';
import { answer, keep } from './fake-api.ts';
import { newId } from './new-id.ts';

/** The bulk actions of the fake API. */
export interface FakeBulkActions {
  /** The newest first. */
  readonly all: BulkAction[];
  readonly asked: CreateBulkActionBody[];
}

/**
 * Answers requests for bulk actions as the API does; they are finished at once.
 * @param matching how many runs a filter matches. @param status another one in place of `finished`.
 */
export function keepBulkActions(matching: number, status: BulkAction['status'] = 'finished'): FakeBulkActions {
  const all: BulkAction[] = keep('/api/bulk-actions', []);
  const asked: CreateBulkActionBody[] = [];
  answer('POST /api/bulk-actions', ({ query, body }) => {
    const total = body.executionIds?.length ?? matching;
    if (query.get('dryRun') === 'true') return { total };
    asked.push(body);
    const action: BulkAction = {
      ...example('POST /api/bulk-actions'),
      id: newId(),
      workspaceId: WORKSPACE.workspaceId,
      action: body.action,
      version: body.action === 'rerun' ? (body.version ?? 'latest') : null,
      status,
      total,
      done: status === 'finished' ? total : 0,
    };
    all.unshift(action);
    return action;
  });
  answer('POST /api/bulk-actions/:id/abort', ({ params: { id } }) => {
    const index = all.findIndex((action) => action.id === id);
    all[index] = { ...all[index]!, status: 'aborted' };
    return all[index];
  });
  return { all, asked };
}
