import { createLoginThrottle } from '@deckhand/api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Gateway, type Instance, OWNER, startGateway, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;
/** Behind a proxy on this machine. */
let proxied: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  proxied = await startGateway(instance, { env: { TRUSTED_PROXIES: 'loopback' } });
});
afterAll(stopAll);

const from = (address: string) => ({ 'x-forwarded-for': address });

async function addressOf(gateway: Gateway, requestId: string): Promise<string | null> {
  const headers = { ...from('203.0.113.9'), 'x-request-id': requestId };
  const body = { workspaceId: instance.workspaceId, name: requestId };
  expect((await gateway.call('POST', '/api/folders', { as: instance.session, headers, body })).status).toBe(201);
  return (await instance.db.auditEntry.findFirstOrThrow({ where: { requestId } })).address;
}

describe('X-Forwarded-For', () => {
  it('counts for nothing by default, and its sender is named in the log once', async () => {
    expect(await addressOf(instance.gateway, 'unknown-proxy-1')).toMatch(/127\.0\.0\.1$/);
    expect(await addressOf(instance.gateway, 'unknown-proxy-2')).toMatch(/127\.0\.0\.1$/);
    expect(instance.gateway.log.filter((line) => line.includes('TRUSTED_PROXIES'))).toHaveLength(1);
  });

  it('is the address of the caller where it comes from a trusted proxy', async () => {
    expect(await addressOf(proxied, 'known-proxy')).toBe('203.0.113.9');
    expect(proxied.log.filter((line) => line.includes('TRUSTED_PROXIES'))).toEqual([]);
  });
});

describe('failed sign-ins', () => {
  const attempt = async (address: string, password: string) => {
    const body = { email: OWNER.email, password };
    return (await proxied.call('POST', '/api/auth/login', { body, headers: from(address) })).status;
  };

  it('let the victim in from another address meanwhile', async () => {
    const statuses = new Set<number>();
    for (let guess = 0; guess < 12; guess += 1) statuses.add(await attempt(`2001:db8:1:1::${guess}`, 'a wrong guess'));
    expect([...statuses]).toEqual([401, 429]);
    expect(await attempt('2001:db8:1:1:ffff::', OWNER.password)).toBe(429);
    expect(await attempt('2001:db8:1:2::1', OWNER.password)).toBe(200);
    expect(await attempt('198.51.100.7', OWNER.password)).toBe(200);
  });

  it('delay, and never refuse, when they come from very many addresses', async () => {
    const delays: number[] = [];
    const throttle = createLoginThrottle(
      instance.gateway.services.monitoring.redis,
      async (ms) => void delays.push(ms),
    );
    const email = 'victim@example.com';
    for (let guess = 0; guess < 100; guess += 1) await throttle.attempt(email, `203.0.113.${guess}`);
    expect(delays).toEqual([1_000]);
    for (let guess = 0; guess < 900; guess += 1) await throttle.attempt(email, `10.0.${guess % 200}.${guess % 7}`);
    await throttle.attempt(email, '198.51.100.7');
    await throttle.succeeded(email, '198.51.100.7');
    expect(delays.at(-1)).toBe(5_000);
  });

  it('429: stop one address that tries many e-mails', async () => {
    const throttle = createLoginThrottle(instance.gateway.services.monitoring.redis);
    for (let guess = 0; guess < 100; guess += 1) await throttle.attempt(`${guess}@example.com`, '192.0.2.1');
    await expect(throttle.attempt('another@example.com', '192.0.2.1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await throttle.attempt('another@example.com', '192.0.2.2');
  });
});
