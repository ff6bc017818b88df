import { parseOwnJson } from '@deckhand/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DOCKERFILE } from '../harness/deployment/dockerfile.ts';
import { repositoryFile, repositoryPath } from '../harness/deployment/repository-file.ts';

const VERSION = repositoryFile('.node-version').trim();
/** Fetching 60 MB may take a while. */
const FETCH_MS = 180_000;

let checkout: string;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'deckhand-with-node-'));
  await mkdir(join(checkout, 'infra'));
  await copyFile(repositoryPath('infra/with-node'), join(checkout, 'infra/with-node'));
  await copyFile(repositoryPath('.node-version'), join(checkout, '.node-version'));
});

afterEach(() => rm(checkout, { recursive: true, force: true }));

/** Asks the Node that `infra/with-node` of the checkout chooses for its path and version. */
function withNode(path: string): Promise<{ node: string; version: string; notes: string }> {
  const args = ['node', '--print', '`${process.execPath} ${process.versions.node}`'];
  return new Promise((resolve, reject) => {
    execFile(
      join(checkout, 'infra/with-node'),
      args,
      { env: { ...process.env, PATH: path } },
      (error, stdout, stderr) => {
        const [node = '', version = ''] = stdout.trim().split(' ');
        if (error === null) resolve({ node, version, notes: stderr });
        else reject(new Error(stderr, { cause: error }));
      },
    );
  });
}

/** A folder for the front of PATH whose `node` is taken to be version 20.20.2; npm still runs with it. */
async function oldNode(): Promise<string> {
  const folder = join(checkout, 'old');
  await mkdir(folder);
  const script = [
    '#!/bin/sh',
    'case "$1" in',
    '  -e) exit 1 ;;',
    '  -p) echo 20.20.2 ;;',
    `  *) exec '${process.execPath}' "$@" ;;`,
    'esac',
  ];
  await writeFile(join(folder, 'node'), script.join('\n'));
  await chmod(join(folder, 'node'), 0o755);
  return folder;
}

describe('infra/with-node', () => {
  it('uses the Node on the PATH where it is new enough, and fetches nothing', async () => {
    const { version, notes } = await withNode([join(process.execPath, '..'), process.env.PATH].join(delimiter));
    expect(version).toBe(process.versions.node);
    expect(notes).toBe('');
  });

  it(
    'fetches Node once where the one on the PATH is too old, and says so in one line',
    async () => {
      const path = [await oldNode(), process.env.PATH].join(delimiter);
      const first = await withNode(path);
      expect(first.notes).toBe(
        `Node 20.20.2 is older than 22.19: fetching Node ${VERSION} into .deckhand/node (once)\n`,
      );
      expect(first.node.startsWith(join(checkout, '.deckhand/node', VERSION))).toBe(true);
      expect(first.version.split('.')[0]).toBe(VERSION.split('.')[0]);
      expect(await withNode(path)).toEqual({ ...first, notes: '' });
    },
    FETCH_MS,
  );

  it('says what to do where the Node on the PATH is too old and npm is missing', async () => {
    const folder = await oldNode();
    const path = [folder, '/nonexistent'].join(delimiter);
    // The tools of the script itself, without npm.
    for (const tool of ['cat', 'dirname', 'uname']) {
      await writeFile(join(folder, tool), `#!/bin/sh\nPATH=/usr/bin:/bin exec ${tool} "$@"\n`);
      await chmod(join(folder, tool), 0o755);
    }
    await expect(withNode(path)).rejects.toThrow(
      `Deckhand needs Node 22.19 or newer (found: 20.20.2). Install Node ${VERSION} from https://nodejs.org/.`,
    );
  });
});

describe('the version of Node', () => {
  it('is the same in development and in the images', () => {
    expect(repositoryFile(DOCKERFILE)).toContain(`ARG NODE_IMAGE=node:${VERSION}-`);
  });

  it('has the same minimum in package.json and in infra/with-node', () => {
    const { engines } = parseOwnJson<{ engines: { node: string } }>(repositoryFile('package.json'));
    const [, minimum] = /^MINIMUM=(.+)$/m.exec(repositoryFile('infra/with-node')) ?? [];
    expect(engines.node).toBe(`>=${minimum}`);
  });
});
