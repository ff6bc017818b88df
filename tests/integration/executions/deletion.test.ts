import {
  claimExecutions,
  createDatabase,
  type Database,
  deleteRunsOfDeletedWorkspaces,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  nodeRow,
  seedWorkflow,
  stopAll,
  stopLater,
  until,
  countLockWaits,
} from '../../harness/index.ts';

/** The advisory lock for which a reader of `deleted_workspaces` waits. */
const GATE = 42;

let db: Database;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

/** Makes statements that read `deleted_workspaces` wait for the gate, after their snapshot was taken. */
async function addGate(): Promise<void> {
  await db.$executeRaw`ALTER TABLE deleted_workspaces RENAME TO remembered_workspaces`;
  await db.$executeRawUnsafe(`CREATE VIEW deleted_workspaces AS SELECT r.* FROM remembered_workspaces r
    CROSS JOIN (SELECT pg_advisory_xact_lock_shared(${GATE})) AS gate`);
}

it('leaves no node rows of a checkpoint that is committed after the deletion took its snapshot', async () => {
  const seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  await db.deletedWorkspace.create({ data: { workspaceId: seed.workspaceId, workflowIds: [] } });
  const executionId = await seed.accept();
  const token = uuidv7();
  const [claimed] = await claimExecutions(db, [{ executionId, dispatch: 1, token }], uuidv7());
  await addGate();

  const deletion = await db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${GATE}::bigint)`;
    const deleted = deleteRunsOfDeletedWorkspaces(db, [executionId]);
    await until(async () => (await countLockWaits(db, 'advisory')) > 0, 'a deletion that waits for the gate');
    const written = await writeCheckpoints(db, [
      {
        executionId,
        epoch: claimed?.epoch ?? 0,
        token,
        claim: null,
        checkpoint: 1,
        currentNodeId: 'a',
        loopPositions: null,
        nodeRuns: [nodeRow('a', { output: '1', outputBytes: 1 })],
        nodeIterations: [],
        waits: [],
        ending: null,
      },
    ]);
    expect(written).toEqual(['written']);
    return { deleted };
  });
  expect((await deletion.deleted).map((run) => run.executionId)).toEqual([executionId]);
  expect(await db.nodeRun.count()).toBe(0);
});
