import { connectRedis, JOB_VERSION, QUEUE_PREFIX, readFleet, RUN_QUEUE } from '@deckhand/queue';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import pg from 'pg';
import {
  chain,
  createWorkflow,
  describeUnless,
  type Instance,
  logMoves,
  quantile,
  seedWorkflow,
  spawnApp,
  startInstance,
  startLoad,
  startReceiver,
  startStores,
  stopAll,
  stopLater,
  tally,
  until,
} from '../../harness/index.ts';
import { checkOutOlder } from '../../harness/older-version.ts';

const RUNS_PER_SECOND = 15;
/** One worker is too few for the load, of which each run takes 0.6 s: otherwise, one would stand by. */
const WORKER_CONCURRENCY = '8';
/** The other version: the previous commit, unless another is given. */
const OLDER = process.env.SKEW_COMMIT ?? 'HEAD~1';

afterAll(stopAll);

const older = await checkOutOlder(OLDER);

describeUnless('reason' in older ? older.reason : undefined)(
  'a worker of an earlier version beside one of this',
  () => {
    it('shares the runs with it, also while a migration is applied: none is lost or doubled, none fails', async () => {
      if ('reason' in older) throw new Error(older.reason);
      const instance = await startInstance();
      await logMoves(instance.db);
      const receiver = await startReceiver(() => 300);
      const call = (id: string) => ({ id, type: 'http', parameters: { url: `${receiver.url}/${id}`, method: 'POST' } });
      const workflowId = await createWorkflow(
        instance,
        chain(call('first'), { id: 'pure', type: 'set', parameters: { fields: { ok: true } } }, call('last')),
      );
      const env = { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url, WORKER_CONCURRENCY };
      const [api, newer] = await Promise.all([spawnApp('api', env), spawnApp('worker', env)]);
      const old = await spawnApp('worker', env, { root: older.root });
      const load = startLoad({
        urls: [api.url],
        path: `/api/workflows/${workflowId}/execute`,
        key: instance.key,
        perSecond: RUNS_PER_SECOND,
        body: () => ({}),
      });
      const more = async (calls: number) => {
        const since = receiver.calls.length;
        await until(() => receiver.calls.length > since + calls, 'the load to go on');
      };
      await more(100);
      const tries = await addColumn(instance);
      await more(60);
      // Each version continues runs of the other from their checkpoints.
      await old.stop();
      const oldAgain = await spawnApp('worker', env, { root: older.root });
      await more(60);
      await newer.stop();
      await more(60);
      const newerAgain = await spawnApp('worker', env);
      await more(60);

      const { acknowledged, statuses, latencies, unanswered } = await load.stop();
      await until(
        async () => (await instance.db.execution.count({ where: { finishedAt: null } })) === 0,
        'the end of every run',
      );
      const result = await tally(instance.db, acknowledged, receiver.calls, { effects: 2 });
      const shares = await instance.db.$queryRaw<{ runs: bigint }[]>`
      SELECT count(DISTINCT execution_id) AS runs FROM moves GROUP BY worker_id`;
      process.stdout.write(
        `version skew: a worker of ${older.commit} beside one of this version, a column added under load (tries: ${tries})\n` +
          `  ${acknowledged.length} runs acknowledged, lost ${result.lost}, doubled ${result.doubled}, effects called again ${result.repeated}; ` +
          `runs of each of the four workers ${shares.map(({ runs }) => String(runs)).join(', ')}\n` +
          `  answers ${JSON.stringify(statuses)}, p99 of accepting ${Math.round(quantile(latencies, 0.99))} ms\n`,
      );
      expect({ lost: result.lost, doubled: result.doubled, unanswered, statuses }).toEqual({
        lost: 0,
        doubled: 0,
        unanswered: [],
        statuses: { 202: acknowledged.length },
      });
      expect(shares).toHaveLength(4);
      for (const app of [oldAgain, newerAgain, api]) await app.stop();
    });
  },
);

/** An additive change that gives up its lock request rather than block others. @returns the number of attempts. */
async function addColumn({ databaseUrl }: Instance): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`SET lock_timeout = '500ms'`);
    let tries = 0;
    await until(async () => {
      tries += 1;
      await client.query('ALTER TABLE executions ADD COLUMN of_a_later_version integer NOT NULL DEFAULT 0');
      await client.query('ALTER TABLE node_runs ADD COLUMN of_a_later_version text');
      return true;
    }, 'the change of the tables');
    return tries;
  } finally {
    await client.end();
  }
}

describe('a job of a newer version', () => {
  it('is left to other workers: it neither fails nor is requested repeatedly', async () => {
    const stores = await startStores();
    const seed = await seedWorkflow(stores.db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
    const worker = await spawnApp('worker', { DATABASE_URL: stores.databaseUrl, REDIS_URL: stores.redis.url });
    const connection = connectRedis(stores.redis.url, { role: 'blocking' });
    const others = connectRedis(stores.redis.url, { role: 'blocking' });
    const queue = new Queue(RUN_QUEUE, { connection, prefix: QUEUE_PREFIX });
    stopLater({
      async stop() {
        await queue.close();
        connection.disconnect();
        others.disconnect();
      },
    });
    await queue.add('run', { version: JOB_VERSION + 1, anything: 'else' }, { jobId: 'newer' });
    const leaves = () => worker.output().split('gave back a job of a newer version').length - 1;
    const beganAt = performance.now();
    await until(() => leaves() >= 3, 'the job to be returned three times');
    const seconds = (performance.now() - beganAt) / 1_000;
    // At most one per second, however many polls there were.
    expect(leaves()).toBeLessThanOrEqual(seconds + 2);
    expect(await queue.getJobState('newer')).not.toBe('failed');

    // In the meantime it takes jobs of versions that it knows.
    const executionId = await seed.accept();
    const isDone = async () =>
      (await stores.db.execution.findUniqueOrThrow({ where: { id: executionId } })).status === 'success';
    await until(isDone, 'the end of a run');
    expect((await readFleet(connection)).map(({ state }) => state)).toEqual(['consuming']);

    // A worker that knows the version gets it.
    const taken: unknown[] = [];
    const other = new Worker(RUN_QUEUE, (job) => Promise.resolve(taken.push(job.data)), {
      connection: others,
      prefix: QUEUE_PREFIX,
      removeOnComplete: { count: 0 },
    });
    await until(() => taken.length > 0, 'another to take the job');
    expect(taken).toEqual([{ version: JOB_VERSION + 1, anything: 'else' }]);
    await other.close();
    await worker.stop();
  });
});
