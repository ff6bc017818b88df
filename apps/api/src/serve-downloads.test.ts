import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@deckhand/runtime';
import express from 'express';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { createErrorHandler } from './http/errors.ts';
import { createDownloads } from './serve-downloads.ts';

const CONTENT = 'not really a package';
const SUM = createHash('sha256').update(CONTENT).digest('hex');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deckhand-downloads-'));
  await writeFile(join(folder, 'deckhand-cli.tgz'), CONTENT);
  await writeFile(join(folder, 'other.txt'), 'secret');
  await writeFile(join(folder, 'SHA256SUMS'), `${SUM}  deckhand-cli.tgz\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function serving(path = folder) {
  const app = express();
  app.use(createDownloads(path));
  app.use(createErrorHandler(createLogger({ name: 'test', level: 'silent' })));
  return request(app);
}

describe('downloads', () => {
  it('are named by their checksums, and sent again only after these changed', async () => {
    const first = await serving().get('/downloads/deckhand-cli.tgz');
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({
      etag: `"${SUM}"`,
      'content-type': 'application/gzip',
      'cache-control': 'public, no-cache',
    });
    const again = await serving().get('/downloads/deckhand-cli.tgz').set('If-None-Match', `"${SUM}"`);
    expect(again.status).toBe(304);
  });

  it('have a HEAD', async () => {
    const { status, headers } = await serving().head('/downloads/deckhand-cli.tgz');
    expect(status).toBe(200);
    expect(headers['content-length']).toBe(String(CONTENT.length));
  });

  it('have their checksums as text beside them', async () => {
    const { text, headers } = await serving().get('/downloads/SHA256SUMS');
    expect(text).toBe(`${SUM}  deckhand-cli.tgz\n`);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each(['other.txt', '..%2fpackage.json', '.', 'SHA256SUMS%00'])(
    'are nothing else of the folder: %s',
    async (name) => {
      const { status, body } = await serving().get(`/downloads/${name}`);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
    },
  );

  it('are a 404 that says why where they were not built', async () => {
    const { status, body } = await serving(join(folder, 'none')).get('/downloads/deckhand-cli.tgz');
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'NOT_FOUND', error: expect.stringContaining('npm run build') });
  });
});
