import { createDatabase, type Database, startRuns, type StartRequest } from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  UNCOUNTED,
} from '../../harness/index.ts';

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
});
beforeEach(async () => {
  seed = await seedWorkflow(db, chain());
});
afterAll(stopAll);

function order(changes: Partial<StartRequest> = {}): StartRequest {
  return {
    executionId: uuidv7(),
    workflowId: seed.workflowId,
    actor: { userId: seed.userId, boundTo: null },
    triggerNodeId: null,
    mode: 'normal',
    source: 'api',
    triggerData: '{"n":1}',
    ...changes,
  };
}

/** A database whose first query succeeds, but whose connection breaks before the response. */
function losingFirstAnswer(meanwhile: () => Promise<unknown>): Database {
  let isFirst = true;
  return new Proxy(db, {
    get(target, name, receiver) {
      if (name !== '$queryRawUnsafe') return Reflect.get(target, name, receiver);
      return async (...statement: Parameters<Database['$queryRawUnsafe']>) => {
        const answer = await target.$queryRawUnsafe(...statement);
        if (!isFirst) return answer;
        isFirst = false;
        await meanwhile();
        throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
      };
    },
  });
}

/** The verdict on a created run; null if an earlier attempt may have created it. */
const accepting = (run: object | null) => ({ kind: 'accepted', workspaceId: seed.workspaceId, run });

describe('accepting runs', () => {
  it('judges each of a batch by itself and inserts only what is allowed', async () => {
    const stranger = await seedWorkflow(db, chain());
    const requests = [
      order(),
      order({ triggerNodeId: 'ghost' }),
      order({ workflowId: uuidv7() }),
      order({ actor: { userId: stranger.userId, boundTo: null } }),
      order({ actor: { userId: seed.userId, boundTo: stranger.workspaceId } }),
      order({ triggerNodeId: 'start' }),
    ];
    const accepted = accepting({
      workflowVersionId: expect.any(String),
      triggerNodeId: 'start',
      deadlineAt: expect.any(Date),
      isLimited: false,
      isDelayed: false,
    });
    expect(await startRuns(db, requests, UNCOUNTED)).toEqual([
      accepted,
      { kind: 'unknownTrigger' },
      { kind: 'notFound' },
      { kind: 'notFound' },
      { kind: 'notFound' },
      accepted,
    ]);
    const runs = await db.execution.findMany({ where: { workflowId: seed.workflowId } });
    expect(runs.map(({ id }) => id).sort()).toEqual([requests[0]?.executionId, requests[5]?.executionId].sort());
  });

  it('says what was written of a run, and whether it counts under a limit', async () => {
    const request = order();
    const [verdict] = await startRuns(db, [request], UNCOUNTED);
    const run = await db.execution.findUniqueOrThrow({ where: { id: request.executionId } });
    const { workflowVersionId, triggerNodeId, deadlineAt } = run;
    expect(verdict).toEqual(
      accepting({ workflowVersionId, triggerNodeId, deadlineAt, isLimited: false, isDelayed: false }),
    );

    const limit = { data: { maxConcurrentExecutions: 1 } };
    await db.workflow.update({ where: { id: seed.workflowId }, ...limit });
    expect(await startRuns(db, [order()], UNCOUNTED)).toMatchObject([{ run: { isLimited: true } }]);
    await db.workflow.update({ where: { id: seed.workflowId }, data: { maxConcurrentExecutions: null } });
    await db.workspace.update({ where: { id: seed.workspaceId }, ...limit });
    expect(await startRuns(db, [order()], UNCOUNTED)).toMatchObject([{ run: { isLimited: true } }]);
  });

  it('starts one run though the answer was lost and the batch is sent again', async () => {
    const request = order();
    const nothing = () => Promise.resolve();
    expect(await startRuns(losingFirstAnswer(nothing), [request], UNCOUNTED)).toEqual([accepting(null)]);
    expect(await db.execution.count({ where: { workflowId: seed.workflowId } })).toBe(1);
    expect(await db.storageChange.count({ where: { workspaceId: seed.workspaceId } })).toBe(1);
  });

  it('stands by a run that landed, though its workflow is gone when it is sent again', async () => {
    const request = order();
    const meanwhile = () => db.workflow.delete({ where: { id: seed.workflowId } });
    expect(await startRuns(losingFirstAnswer(meanwhile), [request], UNCOUNTED)).toEqual([accepting(null)]);
    expect(await db.execution.count({ where: { workflowId: seed.workflowId } })).toBe(1);
  });

  it('counts the bytes of trigger data towards the quota once', async () => {
    await startRuns(db, [order(), order()], UNCOUNTED);
    const changes = await db.storageChange.findMany({ where: { workspaceId: seed.workspaceId } });
    expect(changes.map(({ bytes }) => bytes)).toEqual([14n]);
  });
});
