import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chain, createTestDatabase, seedWorkflow, stopAll, stopLater } from '../../harness/index.ts';

const LARGE_BYTES = 2_000_000;
const RUNS = 20;

let db: Database;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

it('keeps nothing of large values in memory once they are written', async () => {
  const { accept } = await seedWorkflow(db, chain());
  const acceptLarge = () => accept({ text: randomBytes(LARGE_BYTES / 2).toString('hex') });
  await acceptLarge();
  const before = heapAfterCollection();
  for (let run = 0; run < RUNS; run += 1) await acceptLarge();
  expect(heapAfterCollection() - before).toBeLessThan(3 * LARGE_BYTES);
});

it.each(['"', '\\', '{"a":"\\"b\\\\"}', 'null', '', 'ö€😀', '{a,"b"}', '$1', "it's"])(
  'writes the text %j unchanged',
  async (text) => {
    const { accept } = await seedWorkflow(db, chain());
    const { triggerData } = await db.execution.findUniqueOrThrow({ where: { id: await accept({ text }) } });
    expect(triggerData).toBe(JSON.stringify({ text }));
    const long = `${text}ä`.repeat(20_000);
    const ofLong = await db.execution.findUniqueOrThrow({ where: { id: await accept({ long }) } });
    expect(ofLong.triggerData).toBe(JSON.stringify({ long }));
  },
);

it('a statement that reaches its connection after it has failed for its caller writes nothing', async () => {
  let executeLate = (): Promise<unknown> => Promise.reject(new Error('nothing was asked'));
  const impatient = new Proxy(db, {
    get(target, name, receiver) {
      if (name !== '$queryRawUnsafe') return Reflect.get(target, name, receiver);
      return (...statement: Parameters<Database['$queryRawUnsafe']>) => {
        executeLate = async () => target.$queryRawUnsafe(...statement);
        return Promise.reject(new Error('it takes too long'));
      };
    },
  });
  const { workflowId, accept } = await seedWorkflow(impatient, chain());
  await expect(accept()).rejects.toThrow('it takes too long');
  await expect(executeLate()).rejects.toThrow('after it had failed for its caller');
  expect(await db.execution.count({ where: { workflowId } })).toBe(0);
});
