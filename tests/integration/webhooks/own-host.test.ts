import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createHook,
  type Gateway,
  type Instance,
  startGateway,
  startInstance,
  startStores,
  stopAll,
} from '../../harness/index.ts';

const URLS = { PUBLIC_URL: 'https://deckhand.example', WEBHOOK_BASE_URL: 'https://hooks.example' };

let instance: Instance;
let shared: Gateway;

beforeAll(async () => {
  const env = { ...URLS, SEPARATE_WEBHOOK_HOST: 'true', TRUSTED_PROXIES: 'loopback' };
  instance = await startInstance(undefined, { env });
  shared = await startGateway(instance, { env: URLS });
});
afterAll(stopAll);

/** Returns the status of a request as forwarded by a proxy. */
async function statusOn(gateway: Gateway, host: string, method: 'GET' | 'POST', path: string): Promise<number> {
  const headers = { 'x-forwarded-host': host, 'x-forwarded-for': '203.0.113.9' };
  return (await fetch(gateway.url + path, { method, headers })).status;
}

describe('a host for webhooks alone', () => {
  it("serves webhooks and nothing else, and the console's host no webhooks", async () => {
    const hook = await createHook(instance, {});
    const { gateway } = instance;
    for (const [host, expected] of [
      ['hooks.example', [200, 404, 404, 404, 404, 404, 200]],
      ['HOOKS.example:443', [200, 404, 404, 404, 404, 404, 200]],
      ['deckhand.example', [404, 404, 401, 200, 200, 200, 200]],
      ['another.example', [404, 404, 401, 200, 200, 200, 200]],
    ] as const) {
      const test = hook.path.replace('/webhook/', '/webhook-test/');
      const statuses = [
        await statusOn(gateway, host, 'POST', hook.path),
        await statusOn(gateway, host, 'POST', test),
        await statusOn(gateway, host, 'GET', '/api/workspaces'),
        await statusOn(gateway, host, 'GET', '/api/auth/setup'),
        await statusOn(gateway, host, 'GET', '/docs'),
        await statusOn(gateway, host, 'GET', '/api/openapi.json'),
        await statusOn(gateway, host, 'GET', '/healthz'),
      ];
      expect([host, ...statuses]).toEqual([host, ...expected]);
    }
  });

  it('is one with the console where nothing else is asked for', async () => {
    const hook = await createHook(instance, {});
    expect(await statusOn(shared, 'deckhand.example', 'POST', hook.path)).toBe(200);
    expect(await statusOn(shared, 'hooks.example', 'GET', '/api/auth/setup')).toBe(200);
  });

  it('must have another name than the console', async () => {
    const stores = await startStores();
    const env = { ...URLS, WEBHOOK_BASE_URL: 'https://deckhand.example:8443', SEPARATE_WEBHOOK_HOST: 'true' };
    await expect(startGateway(stores, { env })).rejects.toThrow('SEPARATE_WEBHOOK_HOST needs a WEBHOOK_BASE_URL');
  });
});
