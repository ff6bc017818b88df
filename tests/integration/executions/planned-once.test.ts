import {
  createDatabase,
  type Database,
  findApiKeys,
  readExecutions,
  readStates,
  readUnclaimed,
  readVisibleStates,
} from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { createTestDatabase, stopAll, stopLater } from '../../harness/index.js';

/** More than the number of custom plans after which PostgreSQL considers a generic one (PREPARE: 5). */
const CALLS = 8;

let db: Database;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  // One connection, because statements are prepared per connection.
  db = createDatabase({ url, poolSize: 1 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

const executionId = uuidv7();
const actor = { userId: uuidv7(), boundTo: null };

it.each([
  ['api-keys.find', () => findApiKeys(db, ['hash'])],
  ['executions.read', () => readExecutions(db, [{ executionId, actor, isSlim: true }])],
  ['executions.read-states', () => readStates(db, [executionId])],
  ['executions.read-visible-states', () => readVisibleStates(db, [{ executionId, actor }])],
  ['executions.read-unclaimed', () => readUnclaimed(db, [{ executionId }])],
])('%s of one is not planned anew for each call', async (name, call) => {
  for (let calls = 0; calls < CALLS; calls += 1) await call();
  const [plans] = await db.$queryRaw<{ custom: bigint; generic: bigint }[]>`
    SELECT custom_plans AS custom, generic_plans AS generic FROM pg_prepared_statements WHERE name LIKE ${`${name}:%`}`;
  expect(plans).toEqual({ custom: 5n, generic: BigInt(CALLS - 5) });
});
