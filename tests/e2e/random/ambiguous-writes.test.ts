import { createDatabase, type Database } from '@deckhand/db';
import { createHttpClient, createSchemaChecker, createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { connectRedis, createRunQueue } from '@deckhand/queue';
import { openFileStore, openOutputStore } from '@deckhand/outputs';
import { createLogger, createSecretBox, createMemoryBudget } from '@deckhand/runtime';
import { startWorker } from '@deckhand/worker';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { NO_SERVICES, OUTPUTS_IN_POSTGRES } from '../../harness/node-context.ts';
import {
  chain,
  createRandom,
  runs,
  seedWorkflow,
  startReceiver,
  startStores,
  stopAll,
  stopLater,
  TEST_ENCRYPTION_KEY,
  until,
} from '../../harness/index.ts';

const RUNS = runs(500, 2_000);
/** Share of statements that fail, half of them after they succeeded. */
const ISSUES = 0.1;

afterAll(stopAll);

/** The client's members that run one statement. */
const STATEMENTS: ReadonlySet<string | symbol> = new Set([
  '$queryRaw',
  '$executeRaw',
  '$queryRawUnsafe',
  '$executeRawUnsafe',
]);

/** A database client that loses responses: a statement succeeds or not, and in either case the connection "broke". */
function withIssues(db: Database, counts: { before: number; after: number }): Database {
  const random = createRandom();
  const broken = () => Object.assign(new Error('the connection broke'), { code: 'P1017' });
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (!STATEMENTS.has(name)) {
        return typeof member === 'function' ? member.bind(target) : member;
      }
      return async (...args: unknown[]) => {
        const chance = random();
        if (chance < ISSUES / 2) {
          counts.before += 1;
          throw broken();
        }
        const answer: unknown = await Reflect.apply(member as (...given: unknown[]) => Promise<unknown>, target, args);
        if (chance < ISSUES) {
          counts.after += 1;
          throw broken();
        }
        return answer;
      };
    },
  });
}

describe('when answers of the database get lost', () => {
  it('no run is lost, none ends twice, and no finished effect is called again', async () => {
    const stores = await startStores();
    const receiver = await startReceiver();
    const seed = await seedWorkflow(
      stores.db,
      chain(
        { id: 'a', type: 'set', parameters: { fields: { n: '{{ $trigger.n }}' } } },
        { id: 'call', type: 'http', parameters: { url: `${receiver.url}/{{ $trigger.n }}` } },
        { id: 'pause', type: 'wait', parameters: { seconds: 0.05 } },
        { id: 'again', type: 'http', parameters: { url: `${receiver.url}/again/{{ $trigger.n }}` } },
      ),
    );
    const redis = connectRedis(stores.redis.url, { role: 'producer' });
    await until(() => redis.status === 'ready');
    const queue = createRunQueue(redis);
    const code = createScriptRunner();
    const counts = { before: 0, after: 0 };
    const db = createDatabase({ url: stores.databaseUrl, poolSize: 8 });
    const workers = await Promise.all(
      ['one', 'two'].map(async () =>
        startWorker({
          id: uuidv7(),
          version: 'test',
          db: withIssues(db, counts),
          redisUrl: stores.redis.url,
          databaseUrl: stores.databaseUrl,
          maxBlockedMs: 600_000,
          nodeTypes: await loadNodeTypes(),
          services: { ...NO_SERVICES, code, http: createHttpClient({ allowPrivate: true }) },
          schemas: createSchemaChecker(),
          outputs: await openOutputStore(OUTPUTS_IN_POSTGRES, db),
          files: await openFileStore(OUTPUTS_IN_POSTGRES, db),
          secretBox: createSecretBox(TEST_ENCRYPTION_KEY),
          memory: createMemoryBudget(1_073_741_824),
          concurrency: 50,
          graceMs: 1_000,
          logger: createLogger({ name: 'worker', level: 'silent' }),
          registry: new Registry(),
        }),
      ),
    );
    stopLater({
      async stop() {
        for (const worker of workers) await worker.drain();
        await code.close();
        await db.$disconnect();
        await queue.close();
        redis.disconnect();
      },
    });
    for (let n = 0; n < RUNS; n += 1)
      await queue.add([{ workspaceId: 'w', executionId: await seed.accept({ n }), dispatch: 1 }]);

    const count = () => stores.db.execution.count({ where: { workflowId: seed.workflowId, status: 'success' } });
    await until(async () => (await count()) === RUNS, 'the end of every run');
    const byPath = new Map<string, number>();
    for (const { path } of receiver.calls) byPath.set(path, (byPath.get(path) ?? 0) + 1);
    expect(byPath.size).toBe(2 * RUNS);
    expect([...byPath].filter(([, calls]) => calls > 1)).toEqual([]);
    expect(counts.before).toBeGreaterThan(0);
    expect(counts.after).toBeGreaterThan(0);
    process.stdout.write(
      `ambiguous writes: ${RUNS} runs, ${counts.before} statements failed before and ${counts.after} after they were done; lost 0, doubled 0\n`,
    );
  });
});
