import { join } from 'node:path';
import { ROOT } from '../bootstrap/paths.mjs';

/**
 * The packages for users: the folder of each, the exports that are published, and whether it has the engine. Their
 * versions are the one of the instance.
 */
export const CLIENTS = [
  {
    name: 'sdk',
    tarball: 'deckhand-sdk.tgz',
    folder: 'packages/sdk',
    exports: ['.', './operations'],
    hasEngine: false,
  },
  { name: 'cli', tarball: 'deckhand-cli.tgz', folder: 'apps/cli', hasEngine: true },
  { name: 'testing', tarball: 'deckhand-testing.tgz', folder: 'packages/testing', exports: ['.'], hasEngine: true },
];

/** Where the tarballs are, for instances to serve: apps/api reads them there. */
export const DOWNLOADS = join(ROOT, 'infra/pack/dist');
