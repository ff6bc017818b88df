import { DeckhandError, type Definition } from '@deckhand/contracts';
import {
  createFolder,
  deleteFolder,
  deleteWorkspace,
  findDeletedOutputs,
  findDueSchedules,
  foldStorageChanges,
  forgetDeletedOutputs,
  holdSchedules,
  insertDeliveries,
  pruneDeliveries,
  resealSecrets,
  touchApiKeys,
  touchSessions,
  updateWorkflow,
} from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  type Chance,
  createStress,
  createTestDatabase,
  type Operations,
  runs,
  type Seed,
  seedWorkflow,
  stopAll,
  type Stress,
} from '../../harness/index.ts';

/** Number of rows of each kind in a batch. */
const ROWS = 40;
const IDS = Array.from({ length: ROWS }, () => uuidv7());
/** A workflow with several schedules. */
const DEFINITION: Definition = {
  nodes: Array.from({ length: 8 }, (_, index) => ({
    id: `clock${index}`,
    type: 'trigger.schedule',
    parameters: { cron: '* * * * *' },
  })),
  edges: [],
};

let stress: Stress;
let seeds: readonly Seed[];

beforeAll(async () => {
  const { url } = await createTestDatabase();
  stress = createStress(url, runs(60, 120));
  const { db } = stress;
  seeds = await Promise.all([1, 2, 3].map(() => seedWorkflow(db, DEFINITION)));
  const { userId, workspaceId } = seeds[0] ?? { userId: '', workspaceId: '' };
  await db.workspace.createMany({ data: IDS.map((id) => ({ id, name: id })) });
  await db.apiKey.createMany({
    data: IDS.map((id) => ({ id, userId, name: id, keyPrefix: id, keyHash: id, scopes: [] })),
  });
  await db.session.createMany({
    data: IDS.map((id) => ({ id, userId, tokenHash: id, expiresAt: new Date(8_640_000_000_000_000) })),
  });
  await db.credential.createMany({
    data: IDS.map((id) => ({ id, workspaceId, name: id, type: 'apiKey', secret: 'sealed' })),
  });
});
afterAll(stopAll);

const actorOf = ({ userId }: Seed) => ({ userId, boundTo: null });

/** One of a workspace's folders; null for none. */
async function findFolder(chance: Chance, { workspaceId }: Seed): Promise<string | null> {
  const folders = await stress.db.folder.findMany({ where: { workspaceId }, orderBy: { id: 'asc' } });
  return chance.one([null, ...folders.map(({ id }) => id)]);
}

const OPERATIONS: Operations = {
  async foldBytes(chance) {
    const data = chance.shuffle(IDS).map((workspaceId) => ({ workspaceId, bytes: 1n }));
    await stress.db.storageChange.createMany({ data });
    await foldStorageChanges(stress.db, 1 + chance.below(2 * ROWS));
  },
  /** Keeps a workspace's row locked, like a transaction whose next statement comes late. */
  async lockForLong(chance) {
    await stress.db.$executeRaw`
      WITH locked AS MATERIALIZED (SELECT id FROM workspaces WHERE id = ${chance.one(IDS)}::uuid FOR NO KEY UPDATE)
      SELECT pg_sleep(0.01) FROM locked`;
  },
  touchKeys: (chance) => touchApiKeys(stress.db, chance.shuffle(IDS)),
  touchSessions: (chance) => touchSessions(stress.db, chance.shuffle(IDS)),
  resealSecrets: (chance) =>
    resealSecrets(
      stress.db,
      'credential',
      chance.shuffle(IDS).map((id) => ({ id, sealed: 'sealed', resealed: 'sealed' })),
    ),
  async pruneDeliveries(chance) {
    const record = { nodeId: 'a', at: new Date(), isTest: false, method: 'GET', status: 200, durationMs: 1 };
    await insertDeliveries(
      stress.db,
      Array.from({ length: 250 }, () => ({
        ...record,
        workflowId: chance.one(seeds).workflowId,
        executionId: null,
        errorCode: null,
      })),
    );
    await pruneDeliveries(stress.db, chance.shuffle(seeds.map(({ workflowId }) => workflowId)));
  },
  async holdSchedules(chance) {
    const due = chance.shuffle(await findDueSchedules(stress.db, new Date(), 100));
    const holds = due.map((schedule) => ({ schedule, by: 'test', until: new Date(0) }));
    if (holds.length > 0) await holdSchedules(stress.db, holds);
  },
  async activate(chance) {
    const seed = chance.one(seeds);
    const status = chance.one(['active', 'inactive'] as const);
    await updateWorkflow(stress.db, actorOf(seed), seed.workflowId, { status }, () => new Date(0));
  },
  async createFolder(chance) {
    const seed = chance.one(seeds);
    const parentId = await findFolder(chance, seed);
    await createFolder(stress.db, actorOf(seed), { workspaceId: seed.workspaceId, name: 'Folder', parentId });
  },
  async moveToFolder(chance) {
    const seed = chance.one(seeds);
    const folderId = await findFolder(chance, seed);
    await updateWorkflow(stress.db, actorOf(seed), seed.workflowId, { folderId }, () => new Date(0));
  },
  async deleteFolder(chance) {
    const seed = chance.one(seeds);
    const folderId = await findFolder(chance, seed);
    if (folderId !== null) await deleteFolder(stress.db, actorOf(seed), folderId);
  },
  async deleteWorkspace() {
    const seed = await seedWorkflow(stress.db, DEFINITION);
    await Promise.all([
      deleteWorkspace(stress.db, actorOf(seed), seed.workspaceId, () => Promise.resolve()),
      updateWorkflow(stress.db, actorOf(seed), seed.workflowId, { status: 'active' }, () => new Date(0)),
    ]);
  },
  async forgetOutputs(chance) {
    await stress.db.deletedOutput.createMany({ data: IDS.map(() => ({ id: uuidv7(), executionId: uuidv7() })) });
    const found = await findDeletedOutputs(stress.db, 2 * ROWS);
    await forgetDeletedOutputs(stress.db, chance.shuffle(found.map(({ id }) => id)));
  },
};

/** Whether the folder or the workflow was deleted in the meantime. */
const isRefusal = (error: unknown): boolean =>
  error instanceof DeckhandError && ['NOT_FOUND', 'VALIDATION_FAILED'].includes(error.code);

it('causes no deadlock, whatever is done at once to the same workspaces and workflows', async () => {
  expect(await stress.run(OPERATIONS, isRefusal)).toEqual({ errors: [], deadlocks: 0 });
});
