import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { startProcess } from './managed-process.ts';
import { lastLine, packageInstaller } from './package-installer.ts';
import { waitReady } from './wait-ready.ts';

/** A running OpenSSH server that lets in the user of this process with one key, for SFTP alone. */
export interface LocalSshServer {
  readonly port: number;
  readonly username: string;
  /** The private key that it accepts, and its passphrase. */
  readonly privateKey: string;
  readonly passphrase: string;
  /** The fingerprint of its own key. */
  readonly fingerprint: string;
  stop(): Promise<void>;
}

/**
 * Finds the OpenSSH server, or installs it with the system's package manager.
 * @returns its path, or why it is missing.
 */
export async function ensureSshServer(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const find = (): Promise<string | undefined> => findProgram(['sshd']);
  const found = await find();
  if (found !== undefined) return { path: found };
  const install = await packageInstaller({ apt: ['openssh-server'], brew: ['openssh'] });
  if (install === undefined) return { missing: 'sshd is not installed, and no package manager can install it' };
  try {
    await install.run();
  } catch (error) {
    return { missing: `sshd is not installed, and ${install.name} could not install it: ${lastLine(error)}` };
  }
  const path = await find();
  return path === undefined ? { missing: `${install.name} installed no sshd` } : { path };
}

/** Starts an OpenSSH server on a free port of this machine. @param path what `ensureSshServer` found. */
export async function startSshServer(path: string): Promise<LocalSshServer> {
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-sshd-'));
  const passphrase = 'a passphrase';
  const [hostKey, userKey] = [join(dir, 'host'), join(dir, 'user')];
  await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
  await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', userKey]);
  const port = await freePort();
  const lines = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${hostKey}`, `AuthorizedKeysFile ${userKey}.pub`],
    ...[
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin prohibit-password',
    ],
    ...['Subsystem sftp internal-sftp', 'ForceCommand internal-sftp'],
  ];
  const config = join(dir, 'sshd_config');
  await writeFile(config, `${lines.join('\n')}\n`);
  // As root, the server separates privileges in this folder of the system.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
  const server = await startProcess({
    name: 'sshd',
    command: path,
    args: ['-D', '-e', '-f', config],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    cwd: '/',
    logPath: join(dir, 'sshd.log'),
    stopSignal: 'SIGTERM',
  });
  const isListening = async (): Promise<boolean> => {
    await execa('ssh-keyscan', ['-p', String(port), '127.0.0.1'], { timeout: 2_000 });
    return (await readFile(join(dir, 'sshd.log'), 'utf8')).includes('listening');
  };
  await waitReady(server, isListening).catch(async (error: unknown) => {
    await server.kill();
    throw error;
  });
  const { stdout } = await execa('ssh-keygen', ['-lf', `${hostKey}.pub`]);
  return {
    port,
    username: userInfo().username,
    privateKey: await readFile(userKey, 'utf8'),
    passphrase,
    fingerprint: /SHA256:\S+/.exec(stdout)?.[0] ?? '',
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
