import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { stopLeftover } from './leftover.ts';
import type { PostgresHome } from './postgres-home.ts';

/** A data folder that a server can use. */
export interface Cluster {
  readonly data: string;
  readonly password: string;
}

/** The environment of the programs: messages in English, and no settings of the caller. */
export const POSTGRES_ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/**
 * Creates the data folder and the superuser's random password (`password`, mode 600, in `dir`), unless both exist.
 * Stops a server of an earlier start that still runs on it.
 * @param options.isDurable false: do not wait for the disk.
 * @throws if another major version of PostgreSQL wrote the data.
 */
export async function prepareCluster(
  home: PostgresHome,
  options: { dir: string; isDurable: boolean },
): Promise<Cluster> {
  const data = join(home.parent, 'data');
  const password = await keptPassword(join(options.dir, 'password'));
  const dataVersion = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (dataVersion !== undefined) {
    requireVersion(data, Number(dataVersion), await majorVersion(home));
    await releaseData(data);
  } else await makeData(home, { data, password, isDurable: options.isDurable });
  return { data, password };
}

function requireVersion(data: string, ofData: number, ofPrograms: number): void {
  if (ofData === ofPrograms) return;
  throw new Error(
    `the database in ${data} was written by PostgreSQL ${ofData}, and the one that starts here is ${ofPrograms}: ` +
      `set DATABASE_URL to a PostgreSQL ${ofData} that uses it, or move the folder away to begin with an empty database`,
  );
}

async function keptPassword(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    const password = randomBytes(24).toString('base64url');
    await writeFile(path, password, { mode: 0o600 });
    return password;
  }
}

/** The built-in locale is the same on every system and knows upper and lower case of all of Unicode. */
const BUILTIN_LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/** The first major version that has it. */
const BUILTIN_LOCALE_SINCE = 17;

async function majorVersion({ binaries }: PostgresHome): Promise<number> {
  const { stdout } = await execa(join(binaries, 'postgres'), ['--version'], { cwd: '/' });
  return Number(/\d+/.exec(stdout)?.[0]);
}

/** Runs initdb in another folder and moves the result, so that an interrupted start leaves no partial cluster. */
async function makeData(
  home: PostgresHome,
  options: { data: string; password: string; isDurable: boolean },
): Promise<void> {
  const unfinished = `${options.data}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const secret = await mkdtemp(join(tmpdir(), 'deckhand-'));
  try {
    const passwordFile = join(secret, 'password');
    await writeFile(passwordFile, options.password, { mode: 0o600 });
    if (home.identity) {
      await chown(passwordFile, home.identity.uid, home.identity.gid);
      await chown(secret, home.identity.uid, home.identity.gid);
    }
    await execa(
      join(home.binaries, 'initdb'),
      [
        `--pgdata=${unfinished}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        ...((await majorVersion(home)) >= BUILTIN_LOCALE_SINCE ? BUILTIN_LOCALE : ['--locale=C.UTF-8']),
        ...(options.isDurable ? [] : ['--no-sync']),
      ],
      { cwd: '/', env: POSTGRES_ENV, extendEnv: false, all: true, ...home.identity },
    );
  } finally {
    await rm(secret, { recursive: true, force: true });
  }
  await rename(unfinished, options.data);
}

/** Frees a data folder from the server of a killed start, and from the lock file of one that no longer runs. */
async function releaseData(data: string): Promise<void> {
  const note = join(data, 'postmaster.pid');
  const pid = Number((await readFile(note, 'utf8').catch(() => '')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  // SIGINT is PostgreSQL's fast shutdown: it closes sessions and leaves consistent data.
  await stopLeftover({ pid, marks: ['postgres', data], signal: 'SIGINT', graceMs: 15_000 });
  await rm(note, { force: true });
}
