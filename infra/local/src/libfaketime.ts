import { access } from 'node:fs/promises';
import { lastLine, packageInstaller } from './package-installer.ts';

/** Folders of the library that changes a process's clock, on Debian-based systems and with Homebrew. */
const PATHS = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
];

/** The path of the library, or why it is missing. */
export type Faketime =
  { readonly kind: 'found'; readonly path: string } | { readonly kind: 'missing'; readonly reason: string };

/**
 * Finds libfaketime, with which tests run a process with a wrong clock, or installs it with the system's package
 * manager. Only on Linux: it is loaded by LD_PRELOAD. @param log called with one line when a package is installed.
 */
export async function ensureFaketime(log: (line: string) => void): Promise<Faketime> {
  if (process.platform !== 'linux') return { kind: 'missing', reason: 'libfaketime is used on Linux alone' };
  const found = await findFaketime();
  if (found !== undefined) return { kind: 'found', path: found };
  const install = await packageInstaller({ apt: ['libfaketime'], brew: [] });
  if (install === undefined) return { kind: 'missing', reason: 'libfaketime is missing, and nothing may be installed' };
  log(`libfaketime is missing: installing it with ${install.name} (once)`);
  try {
    await install.run();
  } catch (error) {
    return { kind: 'missing', reason: `${install.name} could not install libfaketime (${lastLine(error)})` };
  }
  const installed = await findFaketime();
  return installed === undefined
    ? { kind: 'missing', reason: `libfaketime is missing even after ${install.name}` }
    : { kind: 'found', path: installed };
}

async function findFaketime(): Promise<string | undefined> {
  for (const path of PATHS) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/**
 * Returns the environment in which a process's wall clock is off by a number of seconds, and its steady clock is not.
 */
export function faketimeEnv(path: string, offsetSeconds: number): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: path,
    FAKETIME: `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}
