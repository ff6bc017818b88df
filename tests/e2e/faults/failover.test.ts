import { createDatabase } from '@deckhand/db';
import { findDebianPostgres } from '@deckhand/local';
import { afterAll, describe, expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  chain,
  createWorkflow,
  itUnless,
  spawnApp,
  startInstance,
  startLoad,
  startPostgresPair,
  startReceiver,
  startTcpProxy,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

const RUNS_PER_SECOND = 15;
/** Lag of the replica, and duration of the load before and after, in ms. */
const LAG_MS = 2_000;
const LOAD_MS = 4_000;

const tools = await findDebianPostgres();
const missing = tools === undefined ? 'there is no pg_basebackup (Debian: postgresql-15)' : undefined;

afterAll(stopAll);

describe('a failover to a replica that lags behind', () => {
  itUnless(missing)(
    'every run that the new primary holds ends once, with each effect under one key',
    async () => {
      const pair = await startPostgresPair(tools ?? '');
      const address = await startTcpProxy(pair.url);
      const db = createDatabase({ url: address.url, poolSize: 4 });
      stopLater({ stop: () => db.$disconnect() });
      const instance = await startInstance({ databaseUrl: address.url, db, redis: await startTestRedis() });
      const receiver = await startReceiver(() => 100);
      const call = (id: string) => ({
        id,
        type: 'http',
        parameters: { method: 'POST', url: `${receiver.url}/{{ $trigger.n }}/${id}` },
        retry: { maxAttempts: 5, delayMs: 100 },
      });
      const workflowId = await createWorkflow(
        instance,
        chain(call('first'), { id: 'rest', type: 'wait', parameters: { seconds: 0.5 } }, call('second'), call('last')),
      );
      const env = { DATABASE_URL: address.url, REDIS_URL: instance.redis.url };
      const [api] = await Promise.all([spawnApp('api', env), spawnApp('worker', env), spawnApp('worker', env)]);
      const load = startLoad({
        urls: [api.url],
        path: `/api/workflows/${workflowId}/execute`,
        key: instance.key,
        perSecond: RUNS_PER_SECOND,
        body: (n) => ({ input: { n } }),
      });
      await sleep(LOAD_MS);
      pair.delayReplica();
      await sleep(LAG_MS);
      await address.cut();
      address.redirect(await pair.failOver());
      await address.restore();
      await sleep(LOAD_MS);
      const { acknowledged } = await load.stop();

      const unfinished = () =>
        db.execution.findMany({
          where: { workflowId, status: { in: ['pending', 'running', 'paused', 'waiting_for_input'] } },
        });
      const settled = async () => (await unfinished()).length === 0;
      const isSettled = await until(settled, 'the end of every run').catch(() => false);
      const hanging = await unfinished();
      const runs = await db.execution.findMany({
        where: { workflowId },
        select: { id: true, status: true, error: true },
      });
      const held = new Set(runs.map(({ id }) => id));
      const keys = new Map<string, Set<string>>();
      const calls = new Map<string, number>();
      for (const { path, idempotencyKey } of receiver.calls) {
        const run = idempotencyKey.slice(0, idempotencyKey.indexOf(':'));
        if (!held.has(run)) continue;
        keys.set(`${run} ${path}`, (keys.get(`${run} ${path}`) ?? new Set()).add(idempotencyKey));
        calls.set(run, (calls.get(run) ?? 0) + 1);
      }
      const doubled = [...keys].filter(([, ofPath]) => ofPath.size > 1);
      const isHanging = new Set(hanging.map(({ id }) => id));
      const lost = runs.filter(({ id, status }) => {
        if (isHanging.has(id)) return false;
        const paths = [...keys.keys()].filter((key) => key.startsWith(id)).length;
        return status !== 'success' || paths !== 3;
      });
      const repeated = [...calls.values()].reduce((sum, count) => sum + count, 0) - keys.size;
      process.stdout.write(
        `failover of PostgreSQL ${pair.version} with ${LAG_MS} ms of lag: ${acknowledged.length} runs acknowledged, ` +
          `${acknowledged.filter((id) => !held.has(id)).length} of them gone with the old primary; of ${runs.length} that the new one holds ` +
          `lost ${lost.length}, doubled ${doubled.length}, hanging ${hanging.length}; effects called again ${repeated}\n`,
      );
      for (const { id, workerId, dispatchSeq: dispatch, currentNodeId } of hanging)
        process.stdout.write(`  hanging: ${id} at ${currentNodeId}, dispatch ${dispatch}, held by ${workerId}\n`);
      expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
      expect(isSettled).toBe(true);
      expect(runs.length).toBeGreaterThan(0);
    },
    180_000,
  );
});
