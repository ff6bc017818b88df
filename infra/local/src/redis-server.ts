import { findProgram } from './find-program.ts';
import { lastLine, packageInstaller } from './package-installer.ts';

const PROGRAMS = ['redis-server', 'valkey-server'];

/** There is no Redis and no way to install one: the message lists the alternatives. */
export class NoRedisError extends Error {
  override readonly name = 'NoRedisError';

  constructor(reason: string) {
    super(
      `Redis is missing${reason}. Install redis-server (or valkey-server), set REDIS_URL to one that runs, ` +
        'or use docker compose up.',
    );
  }
}

/** Returns the path of redis-server or valkey-server; undefined if neither is in the PATH. */
export async function findRedisServer(): Promise<string | undefined> {
  return findProgram(PROGRAMS);
}

/**
 * Finds a Redis server, or installs one with the system's package manager: apt as root or with a sudo without a
 * password, brew on macOS. @param log called with one line when a package is installed. @throws NoRedisError when
 * neither works.
 */
export async function ensureRedisServer(log: (line: string) => void): Promise<string> {
  const found = await findRedisServer();
  if (found !== undefined) return found;
  const install = await packageInstaller({ apt: ['redis-server'], brew: ['redis'] });
  if (install === undefined) throw new NoRedisError('');
  log(`Redis is missing: installing it with ${install.name} (once)`);
  try {
    await install.run();
  } catch (error) {
    throw new NoRedisError(` and ${install.name} could not install it (${lastLine(error)})`);
  }
  const installed = await findRedisServer();
  if (installed === undefined) throw new NoRedisError(` even after ${install.name}`);
  return installed;
}
