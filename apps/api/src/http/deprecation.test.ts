import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createServer, type Server } from 'node:http';
import type { Authenticate } from '../auth/authenticate.ts';
import { createOpenApiDocument } from '../openapi/document.ts';
import { announceDeprecation } from './deprecation.ts';
// Declares the id of requests.
import './observe-requests.ts';
import { sendNothing } from './respond.ts';
import { open, registerRoutes, type Route } from './route.ts';

const DEPRECATED = { since: '2026-11-23', sunset: '2027-06-01' };

const handle: Parameters<typeof open>[3] = (_, response) => {
  sendNothing(response);
};
const old: Route = open(
  'GET',
  '/api/auth/old/:id',
  {
    summary: 'Old',
    description: 'An operation.',
    responses: { 204: null },
    deprecated: { ...DEPRECATED, successor: '/api/auth/new/:id' },
  },
  handle,
);
const ending: Route = open(
  'GET',
  '/api/auth/ending',
  { summary: 'Ending', description: 'An operation.', responses: { 204: null }, deprecated: DEPRECATED },
  handle,
);
const current: Route = open(
  'GET',
  '/api/auth/new/:id',
  { summary: 'New', description: 'An operation.', responses: { 204: null } },
  handle,
);

let server: Server;
let url: string;

beforeAll(async () => {
  const app = express();
  const nobody = (): never => {
    throw new Error('nobody signs in here');
  };
  const authenticate: Authenticate = {
    caller: nobody,
    requireConfirmed: () => Promise.resolve(),
    key: nobody,
    session: nobody,
  };
  registerRoutes(app, [old, ending, current], authenticate);
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function headersOf(path: string): Promise<(string | null)[]> {
  const { headers } = await fetch(url + path, { headers: { connection: 'close' } });
  return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));
}

describe('a deprecated operation', () => {
  it('says since when, until when, and what to use instead', async () => {
    const docs = '</docs/api-versions>; rel="deprecation"; type="text/html"';
    const days = ['@1795392000', 'Tue, 01 Jun 2027 00:00:00 GMT'];
    expect(await headersOf('/api/auth/old/a%2Fb')).toEqual([
      ...days,
      `${docs}, </api/auth/new/a%2Fb>; rel="successor-version"`,
    ]);
    expect(await headersOf('/api/auth/ending')).toEqual([...days, docs]);
    expect(await headersOf('/api/auth/new/1')).toEqual([null, null, null]);
  });

  it('is deprecated in the OpenAPI document, with its headers', () => {
    const document = createOpenApiDocument(
      [
        { ...old, id: 'old' },
        { ...current, id: 'current' },
      ],
      '/',
    );
    expect(document).toMatchObject({
      paths: {
        '/api/auth/old/{id}': {
          get: {
            deprecated: true,
            'x-sunset': '2027-06-01',
            description: 'An operation. Deprecated since 2026-11-23, ends on 2027-06-01: use `/api/auth/new/{id}`.',
            responses: {
              204: {
                headers: {
                  Deprecation: { $ref: '#/components/headers/Deprecation' },
                  Sunset: { $ref: '#/components/headers/Sunset' },
                  Link: { $ref: '#/components/headers/Link' },
                },
              },
            },
          },
        },
      },
      components: { headers: { Deprecation: {}, Sunset: {}, Link: {} } },
    });
    expect(document).not.toHaveProperty(['paths', '/api/auth/new/{id}', 'get', 'deprecated']);
  });

  it('stays for half a year, or the API does not start', () => {
    const near = { since: '2026-11-23', sunset: '2027-05-21' };
    expect(() => announceDeprecation(near)).toThrow('stays for 180 days');
    expect(() => announceDeprecation({ since: 'soon', sunset: '2027-06-01' })).toThrow('not from soon');
    expect(() => announceDeprecation({ since: '2026-11-23', sunset: '2027-05-22' })).not.toThrow();
  });
});
