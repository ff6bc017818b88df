import { execa } from 'execa';

/** A package manager of this system. */
export interface Installer {
  /** The name in messages. */
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The names of a package in each package manager. */
export interface PackageNames {
  readonly apt: readonly string[];
  readonly brew: readonly string[];
}

/**
 * Returns the system's package manager if it needs no password: apt as root or with sudo without a password, or brew.
 */
export async function packageInstaller({ apt, brew }: PackageNames): Promise<Installer | undefined> {
  if (process.platform === 'darwin') {
    if (!(await succeeds('brew', ['--version']))) return undefined;
    return { name: 'brew', run: () => execa('brew', ['install', ...brew]).then(() => undefined) };
  }
  if (!(await succeeds('apt-get', ['--version']))) return undefined;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !(await succeeds('sudo', ['-n', 'true']))) return undefined;
  // RUNLEVEL=1 keeps packages from starting servers of the system's own.
  const prefix = [...(isRoot ? [] : ['sudo', '-n']), 'env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get'];
  const call = async (...args: readonly string[]): Promise<void> => {
    const [command = 'env', ...rest] = [...prefix, ...args];
    await execa(command, rest);
  };
  const install = (): Promise<void> => call('install', '-y', '--no-install-recommends', ...apt);
  return {
    name: 'apt',
    run: async () => {
      // A new image has no package lists; existing ones may suffice.
      await install().catch(async () => {
        await call('update');
        await install();
      });
    },
  };
}

/** Returns the end of the output of a failed command. */
export function lastLine(error: unknown): string {
  return (error instanceof Error ? error.message.trim().split('\n').at(-1) : undefined) ?? String(error);
}

function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  return execa(command, args).then(
    () => true,
    () => false,
  );
}
