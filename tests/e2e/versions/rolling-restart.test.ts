import { freePort } from '@deckhand/local';
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createHook,
  createWorkflow,
  type Instance,
  logMoves,
  quantile,
  spawnApp,
  startInstance,
  startLoad,
  startReceiver,
  stopAll,
  tally,
  type TestApp,
  until,
} from '../../harness/index.ts';

const RUNS_PER_SECOND = Number(process.env.ROLL_RUNS_PER_SECOND ?? 40);
/** The load lasts at least this long; everything is restarted again and again until then. */
const LAST_MS = Number(process.env.ROLL_SECONDS ?? 0) * 1_000;
const CALLERS_PER_SECOND = 3;
/** One in this many runs calls a server that takes two seconds; the others one that responds at once. */
const SLOW_ONE_IN = 5;
const SLOW_MS = 2_000;

afterAll(stopAll);

interface Place {
  readonly kind: 'api' | 'worker';
  readonly env: Readonly<Record<string, string>>;
  app: TestApp;
}

describe('a rolling restart under load', () => {
  it('loses and doubles no run, answers no 5xx, and hands runs over at once', async () => {
    const instance = await startInstance();
    await logMoves(instance.db);
    const receiver = await startReceiver((path) => (path.startsWith('/slow') ? SLOW_MS : 0));
    const call = { url: `${receiver.url}/{{ $trigger.speed }}/call`, method: 'POST', body: { n: '{{ $trigger.n }}' } };
    const workflowId = await createWorkflow(
      instance,
      chain(
        { id: 'before', type: 'set', parameters: { fields: { n: '{{ $trigger.n }}' } } },
        { id: 'call', type: 'http', parameters: call },
        { id: 'again', type: 'http', parameters: { ...call, url: `${receiver.url}/fast/again` } },
      ),
    );
    const hook = await createHook(
      instance,
      { responseMode: 'onCompletion' },
      {
        nodes: [
          { id: 'call', type: 'http', parameters: { ...call, url: `${receiver.url}/slow/hook`, body: {} } },
          {
            id: 'end',
            type: 'terminal',
            parameters: { body: { executionId: '{{ $execution.id }}' }, statusCode: 202 },
          },
        ],
      },
    );
    const places = await startPlaces(instance);
    const urls = places.filter(({ kind }) => kind === 'api').map(({ app }) => app.url);
    const common = { urls, key: instance.key };
    const starts = startLoad({
      ...common,
      path: `/api/workflows/${workflowId}/execute`,
      perSecond: RUNS_PER_SECOND,
      body: (n) => ({ input: { n, speed: n % SLOW_ONE_IN === 0 ? 'slow' : 'fast' } }),
    });
    const callers = startLoad({ ...common, path: hook.path, perSecond: CALLERS_PER_SECOND, body: (n) => ({ n }) });
    const logs: string[] = [];
    const ends: string[] = [];
    const beganAt = performance.now();
    do {
      for (const place of places) {
        const calls = receiver.calls.length;
        await until(() => receiver.calls.length > calls + RUNS_PER_SECOND / 2, 'the load to go on');
        await place.app.stop();
        ends.push(`${place.kind} ${await place.app.ended}`);
        logs.push(await readFile(place.app.logPath, 'utf8'));
        place.app = await spawnApp(place.kind, place.env);
      }
    } while (performance.now() - beganAt < LAST_MS);

    const [started, called] = await Promise.all([starts.stop(), callers.stop()]);
    // A caller whose run takes longer than the API waits gets the run's id: the run continues.
    const ofHooks = [...called.acknowledged, ...called.refused];
    const acknowledged = [...started.acknowledged, ...ofHooks];
    const open = { finishedAt: null };
    await until(async () => (await instance.db.execution.count({ where: open })) === 0, 'the end of every run');
    const ofStarts = await tally(instance.db, started.acknowledged, receiver.calls, { effects: 2 });
    const ofCallers = await tally(instance.db, ofHooks, receiver.calls, { effects: 1 });
    const handedOver = await instance.db.execution.count({ where: { dispatchSeq: { gt: 1 } } });
    for (const { app } of places) {
      await app.stop();
      logs.push(await readFile(app.logPath, 'utf8'));
    }
    const deaths = logs.filter((log) => log.includes('dispatched the runs of dead workers again')).length;
    process.stdout.write(
      `rolling restart: ${ends.length} processes restarted under ${RUNS_PER_SECOND} runs/s and ${CALLERS_PER_SECOND} webhook callers/s\n` +
        `  ${acknowledged.length} runs acknowledged, lost ${ofStarts.lost + ofCallers.lost}, doubled ${ofStarts.doubled + ofCallers.doubled}, ` +
        `effects called again ${ofStarts.repeated + ofCallers.repeated}, runs handed over ${handedOver}\n` +
        `  answers ${JSON.stringify(started.statuses)}, to callers ${JSON.stringify(called.statuses)}; ` +
        `connections refused or reset and tried again ${started.retries + called.retries}\n` +
        `  accepting: p50 ${Math.round(quantile(started.latencies, 0.5))} ms, p99 ${Math.round(quantile(started.latencies, 0.99))} ms\n`,
    );
    if (Object.keys({ ...started.statuses, ...called.statuses }).some((status) => status.startsWith('5'))) {
      process.stdout.write(`${complaints(logs).slice(0, 30).join('\n')}\n`);
    }
    expect(ends.filter((end) => !end.endsWith(' code 0'))).toEqual([]);
    expect([...started.unanswered, ...called.unanswered]).toEqual([]);
    expect(started.statuses).toEqual({ 202: started.acknowledged.length });
    const { 202: answered = 0, '504 WEBHOOK_TIMEOUT': toldToLeave = 0, ...others } = called.statuses;
    expect(others).toEqual({});
    expect([answered, toldToLeave]).toEqual([called.acknowledged.length, called.refused.length]);
    expect([ofStarts, ofCallers]).toEqual([
      expect.objectContaining({ lost: 0, doubled: 0, repeated: 0 }),
      expect.objectContaining({ lost: 0, doubled: 0, repeated: 0 }),
    ]);
    // Stopped processes left nothing for maintenance to recover.
    expect(deaths).toBe(0);
    // A run was started for each request that was acknowledged, and for no other.
    expect(await instance.db.execution.count()).toBe(new Set(acknowledged).size);
  });
});

/** Warnings and errors in the logs of processes. */
function complaints(logs: readonly string[]): string[] {
  return logs.flatMap((log) => log.split('\n').filter((line) => /"level":[456]0/.test(line)));
}

async function startPlaces(instance: Instance): Promise<Place[]> {
  const stores = { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url };
  const kinds = ['worker', 'api', 'worker', 'api', 'worker'] as const;
  return Promise.all(
    kinds.map(async (kind) => {
      // An API comes back where its clients look for it.
      const env = kind === 'api' ? { ...stores, PORT: String(await freePort()) } : stores;
      return { kind, env, app: await spawnApp(kind, env) };
    }),
  );
}
