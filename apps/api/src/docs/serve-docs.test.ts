import { describe, expect, it } from '@jest/globals';
import { createLogger, VERSION } from '@deckhand/runtime';
import express from 'express';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { createErrorHandler } from '../http/errors.ts';
import { createDocsSite } from './serve-docs.ts';

const DOCS = join(import.meta.dirname, '../../../../docs');

function serve(root?: string) {
  const app = express();
  app.disable('etag');
  app.use(createDocsSite(root));
  app.use(createErrorHandler(createLogger({ name: 'test', level: 'silent' })));
  return (path: string) => request(app).get(path);
}

const get = serve();

describe('/docs', () => {
  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/', 'text/html; charset=utf-8'],
    ['/docs/nodes/trigger.manual', 'text/html; charset=utf-8'],
    ['/docs/webhooks.md', 'text/markdown; charset=utf-8'],
    ['/docs/recipes/webhook-to-api', 'text/html; charset=utf-8'],
    ['/docs/recipes/webhook-to-api.yaml', 'application/yaml; charset=utf-8'],
    ['/docs/errors/NOT_FOUND', 'text/html; charset=utf-8'],
    ['/docs/docs.js', 'text/javascript; charset=utf-8'],
    ['/docs/minisearch.js', 'text/javascript; charset=utf-8'],
    ['/docs/docs.css', 'text/css; charset=utf-8'],
    ['/docs/search.json', 'application/json; charset=utf-8'],
    ['/docs/console-run.png', 'image/png'],
    ['/docs/llms.txt', 'text/plain; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/docs/api', 'text/html; charset=utf-8'],
    ['/docs/api/swagger-ui.css', 'text/css; charset=utf-8'],
  ])('%s is %s, without a key', async (path, type) => {
    const { status, headers } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, type]);
  });

  it('is sent again only after it changed, and allows scripts and styles of files only', async () => {
    const { headers, text } = await get('/docs/errors');
    expect(text).toContain(VERSION);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(headers['cache-control']).toBe('public, no-cache');
    expect(headers['content-encoding']).toBe('gzip');
    const etag = headers.etag ?? '';
    expect((await get('/docs/errors').set('If-None-Match', etag)).status).toBe(304);
    expect((await get('/docs/limits')).headers.etag).not.toBe(etag);
    const plain = await get('/docs/errors').set('Accept-Encoding', 'identity');
    expect([plain.headers['content-encoding'], plain.text]).toEqual([undefined, text]);
  });

  it('reads again what could not be read before', async () => {
    const root = await mkdtemp(join(tmpdir(), 'deckhand-docs-'));
    const docs = join(root, 'docs');
    const getFrom = serve(root);
    const statusOf = async (path: string) => (await getFrom(path)).status;
    try {
      expect([await statusOf('/docs'), await statusOf('/docs/api')]).toEqual([500, 500]);
      await symlink(DOCS, docs);
      expect([await statusOf('/docs'), await statusOf('/docs/api')]).toEqual([200, 200]);
      await rm(docs);
      expect(await statusOf('/docs/console-run.png')).toBe(500);
      await symlink(DOCS, docs);
      expect(await statusOf('/docs/console-run.png')).toBe(200);
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it.each([
    '/docs/nothing',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/package.json',
    '/docs/api/nothing',
    '/docs/api/package.json',
  ])('%s is a 404', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
