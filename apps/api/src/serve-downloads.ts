import { DeckhandError } from '@deckhand/contracts';
import { Router } from 'express';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where infra/pack/pack-clients.mjs leaves the packages of the clients, and their checksums. */
const FOLDER = fileURLToPath(new URL('../../../infra/pack/dist/', import.meta.url));
const CHECKSUMS = 'SHA256SUMS';

/**
 * Serves the clients of this version at `/downloads/`, for npm to install, without a key: they are the same on every
 * instance. A file is named by its checksum (`ETag`), so caches and replicas agree about it.
 * @param folder the packed files; those of infra/pack unless it is given.
 */
export function createDownloads(folder = FOLDER): Router {
  const files = readFiles(folder);
  const router = Router();
  router.get('/downloads/:name', (request, response, next) => {
    const file = files.get(request.params.name);
    if (!file) {
      const message =
        files.size === 0
          ? 'This instance has no packages of the clients: "npm run build" makes them'
          : `Unknown download: use one of ${[...files.keys()].join(', ')}`;
      throw new DeckhandError('NOT_FOUND', { message });
    }
    response.setHeader('ETag', `"${file.etag}"`);
    response.setHeader('Content-Type', file.type);
    // An upgrade of the instance changes what is behind the address.
    response.setHeader('Cache-Control', 'public, no-cache');
    response.sendFile(request.params.name, { root: folder, cacheControl: false, lastModified: false }, next);
  });
  return router;
}

/** Returns the files to serve by their names; none if they were not built. */
function readFiles(folder: string): ReadonlyMap<string, { readonly etag: string; readonly type: string }> {
  const path = join(folder, CHECKSUMS);
  if (!existsSync(path)) return new Map();
  const sums = readFileSync(path, 'utf8');
  const packages = [...sums.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(
    ([, etag = '', name = '']) => [name, { etag, type: 'application/gzip' }] as const,
  );
  // Each sum is of a package: together they are as good as a sum of the file.
  const etag = packages.map(([, { etag: sum }]) => sum.slice(0, 16)).join('');
  return new Map([...packages, [CHECKSUMS, { etag, type: 'text/plain; charset=utf-8' }]]);
}
