import { gunzipSync } from 'node:zlib';
import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorkflow, type Instance, startGateway, startInstance, stopAll } from '../../harness/index.ts';

const APP = 'https://app.example';
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { API_ALLOWED_ORIGINS: `${APP}, http://localhost:8080` } });
});
afterAll(stopAll);

const send = async (method: string, path: string, headers: Record<string, string>) => {
  const answer = await fetch(`${instance.gateway.url}${path}`, { method, headers });
  await answer.arrayBuffer();
  return answer;
};
const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin');

describe('a page of another origin', () => {
  it('reads what the API says, refusals too, where its origin is allowed', async () => {
    for (const path of ['/api/workspaces', '/api/nothing', '/api/executions/nothing']) {
      const answer = await send('GET', path, { origin: APP, 'x-api-key': instance.key });
      expect([path, allowed(answer), answer.headers.get('vary')]).toEqual([
        path,
        APP,
        expect.stringContaining('Origin'),
      ]);
      expect(answer.headers.get('access-control-expose-headers')).toContain('ETag');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect(allowed(await send('GET', '/api/workspaces', { origin: 'http://localhost:8080' }))).not.toBeNull();
  });

  it('may send keys, bodies and conditions, which it asks for first', async () => {
    const wanted = 'x-api-key, content-type, idempotency-key';
    const asks = { origin: APP, 'access-control-request-method': 'PATCH', 'access-control-request-headers': wanted };
    const answer = await send('OPTIONS', '/api/workflows', asks);
    expect([answer.status, allowed(answer), answer.headers.get('access-control-allow-headers')]).toEqual([
      204,
      APP,
      wanted,
    ]);
    expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH');
  });

  it.each([
    'https://app.example.evil.test',
    'https://app.exampl',
    'http://app.example',
    'https://app.example:8443',
    'https://APP.example',
    'null',
  ])('reads nothing from %s', async (origin) => {
    expect(allowed(await send('GET', '/api/workspaces', { origin, 'x-api-key': instance.key }))).toBeNull();
    const asked = await send('OPTIONS', '/api/workspaces', { origin, 'access-control-request-method': 'GET' });
    expect([asked.status, allowed(asked)]).toEqual([405, null]);
  });

  it('reads nothing beside the API', async () => {
    for (const path of ['/docs/', '/healthz', '/metrics'])
      expect(allowed(await send('GET', path, { origin: APP }))).toBeNull();
  });

  it.each(['*', 'https://app.example/', 'app.example', 'https://a.example,ftp://b.example'])(
    'cannot be allowed by %j: the process does not start',
    async (list) => {
      await expect(startGateway(instance, { env: { API_ALLOWED_ORIGINS: list } })).rejects.toThrow(
        'API_ALLOWED_ORIGINS',
      );
    },
  );
});

describe('a long answer', () => {
  /** Without a client that decompresses the response. */
  const read = (path: string, encoding: string) =>
    new Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
      const headers = { 'x-api-key': instance.key, 'accept-encoding': encoding };
      get(`${instance.gateway.url}${path}`, { headers }, (answer) => {
        buffer(answer).then((bytes) => resolve({ headers: answer.headers, bytes }), reject);
      }).on('error', reject);
    });

  it('comes compressed to whoever takes it so, and says so to caches', async () => {
    const plain = await read('/api/node-types', 'identity');
    const packed = await read('/api/node-types', 'gzip, br');
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Origin, Accept-Encoding']);
    expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual(['gzip', 'Origin, Accept-Encoding']);
    expect(Number(packed.headers['content-length'])).toBe(packed.bytes.length);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect((await read('/api/node-types', 'gzip;q=0')).headers['content-encoding']).toBeUndefined();
  });

  it('stays as it is where it is short', async () => {
    const id = await createWorkflow(instance);
    const { headers } = await read(`/api/workflows/${id}`, 'gzip');
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Origin']);
  });
});
