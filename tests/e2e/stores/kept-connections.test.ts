import { createDatabase, readPoolUse } from '@deckhand/db';
import { afterAll, expect, it } from '@jest/globals';
import { createTestDatabase, stopAll, stopLater, until } from '../../harness/index.ts';

afterAll(stopAll);

it('keeps two connections open however long nothing happens, and closes the others', async () => {
  const db = createDatabase({ url: (await createTestDatabase()).url, poolSize: 6 });
  stopLater({ stop: () => db.$disconnect() });
  await Promise.all(Array.from({ length: 6 }, () => db.$queryRaw`SELECT pg_sleep(0.2)::text`));
  expect(readPoolUse(db).open).toBe(6);
  await until(() => readPoolUse(db).open <= 2, 'four of six connections to be closed');
  expect(readPoolUse(db)).toMatchObject({ open: 2, idle: 2 });
});
