import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';

const PROGRAMS = ['redis-server', 'valkey-server'];

/** There is no Redis and no way to install one: the message lists the ways out. */
export class NoRedisError extends Error {
  override readonly name = 'NoRedisError';

  constructor(reason: string) {
    super(
      `Redis is missing${reason}. Install redis-server (or valkey-server), set REDIS_URL to one that runs, ` +
        'or use docker compose up.',
    );
  }
}

/** The path of redis-server or valkey-server, or undefined when neither is in the PATH. */
export async function findRedisServer(): Promise<string | undefined> {
  // Package managers install servers to sbin folders that a user's PATH may lack.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/usr/sbin'];
  for (const program of PROGRAMS) {
    for (const folder of folders.filter((entry) => entry !== '')) {
      const path = join(folder, program);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

/**
 * Finds a Redis server, or installs one with the system's package manager: apt as root or with a sudo that asks no
 * password, brew on macOS.
 * @param log is told in one line when something is installed.
 * @throws NoRedisError when neither works.
 */
export async function ensureRedisServer(log: (line: string) => void): Promise<string> {
  const found = await findRedisServer();
  if (found !== undefined) return found;
  const install = await installer();
  if (install === undefined) throw new NoRedisError('');
  log(`Redis is missing: installing it with ${install.name} (once)`);
  try {
    await install.run();
  } catch (error) {
    const last = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    throw new NoRedisError(` and ${install.name} could not install it (${last})`);
  }
  const installed = await findRedisServer();
  if (installed === undefined) throw new NoRedisError(` even after ${install.name}`);
  return installed;
}

interface Installer {
  readonly name: string;
  readonly run: () => Promise<void>;
}

async function installer(): Promise<Installer | undefined> {
  if (process.platform === 'darwin') {
    if (!(await succeeds('brew', ['--version']))) return undefined;
    return { name: 'brew', run: () => execa('brew', ['install', 'redis']).then(() => undefined) };
  }
  if (!(await succeeds('apt-get', ['--version']))) return undefined;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !(await succeeds('sudo', ['-n', 'true']))) return undefined;
  // RUNLEVEL=1 keeps the package from starting a server of the system's own.
  const prefix = [...(isRoot ? [] : ['sudo', '-n']), 'env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get'];
  const apt = async (...args: string[]): Promise<void> => {
    const [command = 'env', ...rest] = [...prefix, ...args];
    await execa(command, rest);
  };
  const install = (): Promise<void> => apt('install', '-y', '--no-install-recommends', 'redis-server');
  return {
    name: 'apt',
    run: async () => {
      // A fresh image has no package lists; elsewhere they may be there and do.
      await install().catch(async () => {
        await apt('update');
        await install();
      });
    },
  };
}

function succeeds(command: string, args: string[]): Promise<boolean> {
  return execa(command, args).then(
    () => true,
    () => false,
  );
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
