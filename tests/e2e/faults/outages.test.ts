import { createDatabase, probeWrites } from '@deckhand/db';
import { childPids, type LocalPostgres } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import {
  callWithKey,
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestPostgres,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

let postgres: LocalPostgres;
let instance: Instance;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const db = createDatabase({ url: postgres.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  instance = await startInstance({ databaseUrl: postgres.url, db, redis: await startTestRedis() });
});
afterAll(stopAll);

/** Stops a server and all its sessions where they are. */
async function freeze({ process: server }: LocalPostgres): Promise<{ thaw(): void }> {
  process.kill(server.pid, 'SIGSTOP');
  const pids = await childPids(server.pid);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return {
    thaw() {
      for (const pid of [server.pid, ...pids]) process.kill(pid, 'SIGCONT');
    },
  };
}

const call = callWithKey(() => instance);

describe('while PostgreSQL is down', () => {
  it('503: whatever is asked, and all is well again once it is back', async () => {
    const id = await createWorkflow(instance, chain());
    const started = await call('POST', `/api/workflows/${id}/execute`);
    await postgres.kill();
    for (const [method, path] of [
      ['POST', `/api/workflows/${id}/execute`],
      ['GET', `/api/workflows/${id}`],
      ['GET', `/api/executions/${started.body.executionId}`],
    ] as const) {
      const { status, body, headers } = await call(method, path);
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
      expect(['SERVICE_UNAVAILABLE', 'write_circuit_open']).toContain(body.code);
    }
    expect((await instance.gateway.call('GET', '/healthz')).status).toBe(200);
    const ready = await instance.gateway.call('GET', '/readyz');
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '2']);

    await postgres.restart();
    await until(async () => (await call('POST', `/api/workflows/${id}/execute`)).status === 202, 'recovery');
    expect((await instance.gateway.call('GET', '/readyz')).status).toBe(200);
    const { body } = await call('GET', `/api/executions/${started.body.executionId}`);
    expect(body).toMatchObject({ status: 'pending' });
  });
});

describe('the circuit around new runs', () => {
  const execute = (id: string) => call('POST', `/api/workflows/${id}/execute`);
  const isOpen = () => instance.gateway.services.starts.breaker.isOpen();
  const runs = () => instance.db.execution.count();

  it('opens while PostgreSQL is frozen, answers at once, and closes by itself', async () => {
    const id = await createWorkflow(instance, chain());
    const before = await runs();
    const frozen = await freeze(postgres);
    const hanging = execute(id);
    await until(isOpen, 'the open circuit');
    const refused = await execute(id);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'write_circuit_open',
      '2',
    ]);
    frozen.thaw();
    // It had reached only the lookup of its key: it is refused by now, and nothing is written.
    expect((await hanging).body.code).toBe('write_circuit_open');
    await until(() => !isOpen(), 'the closed circuit');
    expect((await execute(id)).status).toBe(202);
    expect(await runs()).toBe(before + 1);
  });

  it('opens when PostgreSQL takes no writes', async () => {
    const id = await createWorkflow(instance, chain());
    const admin = createDatabase({ url: postgres.url, poolSize: 1 });
    stopLater({ stop: () => admin.$disconnect() });
    const before = await runs();
    await admin.$executeRawUnsafe('ALTER DATABASE deckhand SET default_transaction_read_only = on');
    await admin.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()`;
    try {
      await until(async () => (await execute(id)).body.code === 'write_circuit_open', 'the open circuit');
      expect(await runs()).toBe(before);
    } finally {
      await admin.$executeRawUnsafe('SET default_transaction_read_only = off');
      await admin.$executeRawUnsafe('ALTER DATABASE deckhand RESET default_transaction_read_only');
      await admin.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()`;
    }
    await until(async () => (await execute(id)).status === 202, 'the closed circuit');
  });

  it('opens when Redis takes no writes for lack of memory', async () => {
    const id = await createWorkflow(instance, chain());
    const { redis } = instance.gateway.services.monitoring;
    await redis.config('SET', 'maxmemory', '1');
    try {
      const failed = await execute(id);
      expect([failed.status, failed.body.code]).toEqual([503, 'QUEUE_UNAVAILABLE']);
      expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await call('GET', `/api/executions/${failed.body.executionId}`)).body.status).toBe('failed');
      await until(isOpen, 'the open circuit');
      const before = await runs();
      expect((await execute(id)).body.code).toBe('write_circuit_open');
      expect(await runs()).toBe(before);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await until(() => !isOpen(), 'the closed circuit');
    expect((await execute(id)).status).toBe(202);
  });

  it('stays closed when only this process is busy', async () => {
    const probe = probeWrites(postgres.url);
    // PostgreSQL answers meanwhile, and the time limit of the probe passes before the answer is read.
    const busyUntil = performance.now() + 1_500;
    await setImmediate();
    while (performance.now() < busyUntil);
    await expect(probe).resolves.toBeUndefined();
  });

  it('stays closed when only the pool is busy', async () => {
    const id = await createWorkflow(instance, chain());
    const { db, breaker } = instance.gateway.services.starts;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holds = Array.from({ length: 8 }, () =>
      db.$transaction(
        async (tx) => {
          await tx.$queryRaw`SELECT 1`;
          await released;
        },
        { timeout: 60_000 },
      ),
    );
    const probes = async () => {
      const { value } = await instance.db.setting.findUniqueOrThrow({ where: { name: 'writeProbe' } });
      return value;
    };
    const before = await probes();
    const waiting = execute(id);
    await until(async () => (await probes()) !== before, 'a probe');
    expect(breaker.isOpen()).toBe(false);
    release();
    await Promise.all(holds);
    expect((await waiting).status).toBe(202);
  });
});

describe('a caller who disconnects while sending', () => {
  it('is not an error of the service', async () => {
    const { port } = new URL(instance.gateway.url);
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/workspaces',
      headers: { 'x-api-key': instance.key, 'content-type': 'application/json', 'content-length': 100 },
    });
    sent.on('error', () => undefined);
    const before = instance.gateway.log.length;
    await new Promise((resolve) => sent.write('{"name":', resolve));
    sent.destroy();
    await until(() => instance.gateway.log.slice(before).some((line) => line.includes('caller disconnected')));
    expect(instance.gateway.log.slice(before).filter((line) => line.includes('request failed'))).toEqual([]);
  });
});
