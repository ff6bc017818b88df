import { REPOSITORY } from '@deckhand/local';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { stopLater } from './cleanup.ts';

/** Where pnpm keeps each installed version of a package. */
const STORE = join(REPOSITORY, 'node_modules/.pnpm');

/** Binaries of images have some 20 MB. */
const MAX_PACKAGE_BYTES = 100_000_000;

/**
 * Starts a registry for npm with the packages that the repository has installed, and no others, so that what depends on
 * them is installed as from the public one, without the network.
 * @param home where npm keeps its cache.
 * @returns the environment in which npm uses it.
 */
export async function startRegistry(home: string): Promise<Readonly<Record<string, string>>> {
  // npm waits for ever if a kept connection closes as it sends a request, and packing all takes longer than 5 s.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const name = decodeURIComponent(pathname.slice(1));
    const versions = installedVersions(name);
    const version = searchParams.get('version');
    const folder = version === null ? undefined : versions.get(version);
    if (folder !== undefined) {
      response.end(packFolder(folder));
    } else if (versions.size > 0) {
      const url = `http://${request.headers.host}${pathname}`;
      const entries = [...versions].map(([each, path]) => {
        const manifest: unknown = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
        return [each, { ...Object(manifest), dist: { tarball: `${url}?version=${each}` } }] as const;
      });
      const latest = entries.at(-1)?.[0];
      response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(entries) }));
    } else {
      response.writeHead(404).end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({ stop: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    npm_config_ignore_scripts: 'true',
    npm_config_audit: 'false',
  };
}

/** Returns the folder of each version that is installed. */
function installedVersions(name: string): ReadonlyMap<string, string> {
  if (!/^(@[\w.-]+\/)?[\w-][\w.-]*$/.test(name)) return new Map();
  const paths = globSync(`${name.replace('/', '+')}@*/node_modules/${name}`, { cwd: STORE });
  return new Map(paths.map((path) => [/@(\d[^_/]*)/.exec(path.slice(1))?.[1] ?? '', join(STORE, path)]));
}

function packFolder(folder: string): Buffer {
  const name = basename(folder);
  // Equal files are one file in the store of pnpm.
  return execFileSync(
    'tar',
    ['-cz', '--hard-dereference', '-C', dirname(folder), '--transform', `s,^${name},package,`, name],
    { maxBuffer: MAX_PACKAGE_BYTES },
  );
}
