import { ensureDebianPostgres, findDebianPostgres } from './debian-postgres.ts';
import { findProgram } from './find-program.ts';
import { lastLine, packageInstaller } from './package-installer.ts';

const PACKAGES = ['patroni', 'etcd-server', 'haproxy'] as const;

/** The programs of a PostgreSQL cluster that fails over by itself. */
export interface PatroniPrograms {
  readonly patroni: string;
  readonly etcd: string;
  readonly haproxy: string;
  /** The folder of PostgreSQL's programs. */
  readonly postgres: string;
}

/** Finds Patroni, etcd, HAProxy and Debian's PostgreSQL. @returns undefined unless all of them are there. */
async function findPatroni(): Promise<PatroniPrograms | undefined> {
  const [patroni, etcd, haproxy, postgres] = await Promise.all([
    findProgram(['patroni']),
    findProgram(['etcd']),
    findProgram(['haproxy']),
    findDebianPostgres(),
  ]);
  if (patroni === undefined || etcd === undefined || haproxy === undefined || postgres === undefined) return undefined;
  return { patroni, etcd, haproxy, postgres };
}

/** Finds them, or installs them with apt. @returns the programs, or why they are missing. */
export async function ensurePatroni(): Promise<PatroniPrograms | { readonly missing: string }> {
  const found = await findPatroni();
  if (found !== undefined) return found;
  const postgres = await ensureDebianPostgres();
  if ('missing' in postgres) return postgres;
  const names = PACKAGES.join(', ');
  const install = await packageInstaller({ apt: PACKAGES, brew: [] });
  if (install?.name !== 'apt') return { missing: `${names} are not installed, and there is no apt to install them` };
  try {
    await install.run();
  } catch (error) {
    return { missing: `${names} are not installed, and apt could not install them: ${lastLine(error)}` };
  }
  return (await findPatroni()) ?? { missing: `apt did not install all of ${names}` };
}
