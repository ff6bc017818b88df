import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { acceptExecutions, type AcceptRequest, createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.js';

const LARGE_BYTES = 2_000_000;
const RUNS = 20;

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain());
});
afterAll(stopAll);

function order(triggerData: string): AcceptRequest {
  return {
    executionId: uuidv7(),
    workflowId: seed.workflowId,
    actor: { userId: seed.userId, boundTo: null },
    triggerNodeId: null,
    mode: 'normal',
    source: 'api',
    triggerData,
  };
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

it('nothing of large values is kept in memory once they are written', async () => {
  const large = (): string => JSON.stringify({ text: randomBytes(LARGE_BYTES / 2).toString('hex') });
  await acceptExecutions(db, [order(large())]);
  const before = heapAfterCollection();
  for (let run = 0; run < RUNS; run += 1) await acceptExecutions(db, [order(large())]);
  expect(heapAfterCollection() - before).toBeLessThan(3 * LARGE_BYTES);
});

it.each(['"', '\\', '{"a":"\\"b\\\\"}', 'null', '', 'ö€😀', '{a,"b"}', '$1', "it's"])(
  'the text %j is written as it is',
  async (text) => {
    const triggerData = JSON.stringify({ text });
    const request = order(triggerData);
    const others = [order('{"n":1}'), order('{"n":2}')];
    await acceptExecutions(db, [request]);
    await acceptExecutions(db, others);
    const ids = [request, ...others].map(({ executionId }) => executionId);
    const runs = await db.execution.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    expect(runs.map((run) => run.triggerData)).toEqual([triggerData, '{"n":1}', '{"n":2}']);
  },
);
