import { createDatabase } from '@deckhand/db';
import { expect, it } from '@jest/globals';
import { createClaim } from './claim-runs.ts';

it('starts a run with a snapshot without a query, and reads others from the database', async () => {
  // Nothing listens on this port; the client connects with its first query.
  const db = createDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1 });
  const asked: string[] = [];
  const note = (what: string): Promise<never> => {
    asked.push(what);
    return Promise.reject(new Error('asked'));
  };
  const claim = createClaim({
    id: 'me',
    db,
    queue: { add: () => note('add') },
    retryRead: note,
    retryWrite: note,
    retry: note,
  });
  const run = {
    workspaceId: 'w',
    workflowId: 'f',
    workflowVersionId: 'v',
    executionMode: 'normal',
    triggerNodeId: 'start',
    triggerData: '{"n":1}',
    traceParent: null,
  } as const;
  const now = Date.now();
  const snapshot = { ...run, deadlineAt: now + 60_000, queuedAt: now - 2_000 };
  const claimed = await claim({ executionId: 'r', dispatch: 1, snapshot });
  expect(claimed).toMatchObject({ ...run, id: 'r', isProvisional: true, epoch: 1, deadlineAt: new Date(now + 60_000) });
  expect(claimed?.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(claimed?.waitedSeconds).toBeGreaterThanOrEqual(2);
  expect(asked).toEqual([]);

  await expect(claim({ executionId: 'r', dispatch: 1 })).rejects.toThrow('asked');
  expect(asked).toEqual(['claim']);
  await db.$disconnect();
});
