import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Instance, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

describe('the headers of answers', () => {
  it.each([
    ['a page of the API', '/docs/', 200],
    ['an answer', '/api/workspaces', 200],
    ['a refusal', '/api/nothing', 404],
  ])('tell browsers to be careful: %s', async (_, path, status) => {
    const answer = await fetch(`${instance.gateway.url}${path}`, { headers: { 'x-api-key': instance.key } });
    expect(answer.status).toBe(status);
    const { headers } = answer;
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self'/);
    expect(headers.get('content-security-policy')).not.toMatch(/upgrade-insecure-requests|unsafe-eval/);
    expect(headers.get('strict-transport-security')).toMatch(/max-age=31536000/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('of an error name the page about its code', async () => {
    const read = async (path: string) => (await fetch(`${instance.gateway.url}${path}`)).headers.get('link');
    expect(await read('/api/workspaces')).toBe('</docs/errors/UNAUTHORIZED>; rel="help"');
    expect((await fetch(`${instance.gateway.url}/docs/errors/UNAUTHORIZED`)).status).toBe(200);
    expect(await read('/webhook/nothing')).toBeNull();
  });

  it('keep what the API says out of caches', async () => {
    const read = async (path: string) => {
      const answer = await fetch(`${instance.gateway.url}${path}`, { headers: { 'x-api-key': instance.key } });
      return [answer.status, answer.headers.get('cache-control')];
    };
    expect(await read('/api/workspaces')).toEqual([200, 'no-store']);
    expect(await read('/api/nothing')).toEqual([404, 'no-store']);
  });
});

describe('the version of the API', () => {
  const ask = async (path: string, version?: string) => {
    const headers = { 'x-api-key': instance.key, ...(version === undefined ? {} : { 'API-Version': version }) };
    const response = await fetch(`${instance.gateway.url}${path}`, { headers });
    const body = await response.text();
    return { status: response.status, version: response.headers.get('api-version'), body };
  };

  it('is in every response of the API, refusals included', async () => {
    const { info } = JSON.parse((await ask('/api/openapi.json')).body) as { info: { version: string } };
    expect(info.version).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const path of ['/api/workspaces', '/api/nothing', '/api/auth/me']) {
      expect((await ask(path)).version).toBe(info.version);
    }
    expect((await ask('/healthz')).version).toBeNull();
    expect(await ask('/api/workspaces', info.version)).toMatchObject({ status: 200, version: info.version });
  });

  it('is refused where there is no such one, by name', async () => {
    for (const version of ['2020-01-01', '1', 'latest', '2026-11-23, 2026-11-23']) {
      const { status, body } = await ask('/api/workspaces', version);
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ path: 'API-Version', message: 'must be one of 2026-11-23' }],
      });
    }
    expect((await ask('/healthz', 'any')).status).toBe(200);
  });
});

describe('a stolen session', () => {
  it('cannot be used to guess the password where a key is made: 429', async () => {
    const body = { name: 'guess', password: 'not the password' };
    const statuses: number[] = [];
    for (let guess = 0; guess < 11; guess += 1) {
      const { status } = await instance.gateway.call('POST', '/api/api-keys', { as: instance.session, body });
      statuses.push(status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
  });
});
