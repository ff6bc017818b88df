import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addPerson, type Gateway, type Get, type Instance, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;
let limits: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  limits = `/api/admin/workspaces/${instance.workspaceId}/limits`;
});
afterAll(stopAll);

const NO_LIMITS = {
  executionsPerMinute: null,
  storageQuotaBytes: null,
  maxConcurrentExecutions: null,
  modelTokensPerMonth: null,
  modelMicroUsdPerMonth: null,
};
const SETTINGS = '/api/admin/settings';
const read: Get<[as?: string]> = (path, as = instance.session) => gateway.call('GET', path, { as });
const write = <Path extends string>(path: Path, body: object, as = instance.session) =>
  gateway.call('PUT', path, { as, body });

describe('limits of a workspace', () => {
  it('200: are none at first, are set together and lifted with null', async () => {
    expect((await read(limits)).body).toEqual(NO_LIMITS);
    const some = {
      executionsPerMinute: 60,
      storageQuotaBytes: 5_000_000_000,
      maxConcurrentExecutions: 3,
      modelTokensPerMonth: 5_000_000_000,
      modelMicroUsdPerMonth: 25_000_000,
    };
    expect(await write(limits, some)).toMatchObject({ status: 200, body: some });
    expect((await read(limits)).body).toEqual(some);
    expect((await write(limits, NO_LIMITS)).body).toEqual(NO_LIMITS);
    const changes = await instance.db.auditEntry.findMany({
      where: { action: 'workspace.limit' },
      orderBy: { id: 'asc' },
    });
    expect(changes.map(({ details }) => details)).toEqual([some, NO_LIMITS]);
  });

  it('200: that came later stay as they are when they are left out', async () => {
    const later = { maxConcurrentExecutions: 7, modelTokensPerMonth: 9, modelMicroUsdPerMonth: 10 };
    await write(limits, { ...NO_LIMITS, ...later });
    const left = { executionsPerMinute: 5, storageQuotaBytes: null };
    expect((await write(limits, left)).body).toEqual({ ...left, ...later });
    await write(limits, NO_LIMITS);
  });

  it.each([
    [{ executionsPerMinute: 0, storageQuotaBytes: null }, 'executionsPerMinute'],
    [{ executionsPerMinute: 1.5, storageQuotaBytes: null }, 'executionsPerMinute'],
    [{ executionsPerMinute: null, storageQuotaBytes: -1 }, 'storageQuotaBytes'],
    [{ executionsPerMinute: null }, 'storageQuotaBytes'],
    [{ executionsPerMinute: 1, storageQuotaBytes: 1, perMinute: 1 }, 'perMinute'],
    [{ ...NO_LIMITS, maxConcurrentExecutions: 0 }, 'maxConcurrentExecutions'],
    [{ ...NO_LIMITS, maxConcurrentExecutions: 2.5 }, 'maxConcurrentExecutions'],
    [{ ...NO_LIMITS, maxConcurrentExecutions: '3' }, 'maxConcurrentExecutions'],
    [{ ...NO_LIMITS, maxConcurrentExecutions: 2_147_483_648 }, 'maxConcurrentExecutions'],
    [{ ...NO_LIMITS, modelTokensPerMonth: 0 }, 'modelTokensPerMonth'],
    [{ ...NO_LIMITS, modelMicroUsdPerMonth: 0.5 }, 'modelMicroUsdPerMonth'],
  ])('400: are not set to %j', async (body, path) => {
    const answer = await write(limits, body);
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, path]);
  });

  it('404 for an unknown workspace', async () => {
    const path = '/api/admin/workspaces/01900000-0000-7000-8000-000000000000/limits';
    expect((await read(path)).status).toBe(404);
    expect((await write(path, { executionsPerMinute: 1, storageQuotaBytes: 1 })).status).toBe(404);
    expect((await read('/api/admin/workspaces/x/limits')).status).toBe(404);
  });
});

describe('prices of models', () => {
  const PRICES = '/api/admin/model-prices';
  const price = {
    ...{ provider: 'openai', model: 'm', validFrom: '2026-11-01', source: 'A contract' },
    ...{ inputMicroUsd: 1_000, cachedInputMicroUsd: null, outputMicroUsd: 2_000 },
  };

  it('200: are replaced as a whole, beside the built-in ones', async () => {
    const { body } = await read(PRICES);
    expect(body.prices).toEqual([]);
    expect(body.builtIn.length).toBeGreaterThan(10);
    const prices = [price, { ...price, validFrom: '2026-12-01', cachedInputMicroUsd: 500 }];
    expect((await write(PRICES, { prices })).body.prices).toEqual(prices);
    expect((await write(PRICES, { prices: [] })).body.prices).toEqual([]);
  });

  it.each([
    [[price, price], 'prices[1].validFrom'],
    [[{ ...price, validFrom: '2026-02-30' }], 'prices[0].validFrom'],
    [[{ ...price, inputMicroUsd: -1 }], 'prices[0].inputMicroUsd'],
    [[{ ...price, outputMicroUsd: 0.5 }], 'prices[0].outputMicroUsd'],
    [[{ ...price, provider: 'x' }], 'prices[0].provider'],
  ])('400: are not %j', async (prices, path) => {
    const answer = await write(PRICES, { prices });
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, path]);
    expect((await read(PRICES)).body.prices).toEqual([]);
  });
});

describe('what a workspace uses', () => {
  const usage = () => `/api/admin/workspaces/${instance.workspaceId}/usage`;

  it('200: is what its runs keep', async () => {
    await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storedBytes: 5_000_000_000n } });
    expect(await read(usage())).toMatchObject({ status: 200, body: { storedBytes: 5_000_000_000 } });
  });

  it('403 for others than administrators, 404 for unknown workspaces', async () => {
    const { session } = await addPerson(instance, 'owner');
    expect((await read(usage(), session)).status).toBe(403);
    expect((await read('/api/admin/workspaces/01900000-0000-7000-8000-000000000000/usage')).status).toBe(404);
  });
});

describe('settings of the instance', () => {
  const some = {
    dataRetentionDays: 30,
    runRetentionDays: 90,
    defaultExecutionsPerMinute: 100,
    defaultStorageQuotaBytes: 1_000_000,
  };

  it('200: are kept, and give new workspaces their limits', async () => {
    expect(new Set(Object.values((await read(SETTINGS)).body))).toEqual(new Set([null]));
    expect(await write(SETTINGS, some)).toMatchObject({ status: 200, body: some });
    expect((await read(SETTINGS)).body).toEqual(some);
    const { body } = await gateway.call('POST', '/api/workspaces', { as: instance.key, body: { name: 'New' } });
    const given = { ...NO_LIMITS, executionsPerMinute: 100, storageQuotaBytes: 1_000_000 };
    expect((await read(`/api/admin/workspaces/${body.id}/limits`)).body).toEqual(given);
    const forEver = { ...some, dataRetentionDays: null };
    expect((await write(SETTINGS, forEver)).status).toBe(200);
    expect((await read(SETTINGS)).body).toEqual(forEver);
  });

  it('400: keep no data longer than its run, and know their names', async () => {
    const longer = await write(SETTINGS, { ...some, dataRetentionDays: 91 });
    expect([longer.status, longer.body.details?.[0]?.path]).toEqual([400, 'dataRetentionDays']);
    expect((await write(SETTINGS, { ...some, retention: 1 })).body.details?.[0]?.path).toBe('retention');
    expect((await write(SETTINGS, { ...some, runRetentionDays: 0 })).status).toBe(400);
  });
});

describe('instance administration', () => {
  it('403 for owners who are not administrators, and for keys', async () => {
    const owner = await addPerson(instance, 'owner');
    for (const path of [limits, SETTINGS]) {
      expect((await read(path, owner.session)).body.code).toBe('FORBIDDEN');
      expect((await read(path, instance.key)).body.code).toBe('SESSION_REQUIRED');
    }
    const body = { executionsPerMinute: 1, storageQuotaBytes: 1 };
    expect((await write(limits, body, owner.session)).body.code).toBe('FORBIDDEN');
    expect((await write(SETTINGS, (await read(SETTINGS)).body, owner.session)).body.code).toBe('FORBIDDEN');
    expect((await read(limits)).body).toEqual(NO_LIMITS);
  });
});
