import { join } from 'node:path';
import { execa } from 'execa';
import { ensureSshServer } from '../openssh.ts';
import { lastLine } from '../package-installer.ts';
import { REPOSITORY } from '../repository.ts';
import type { Preparation } from './programs.ts';

/** An S3 server of others, in JavaScript, with 108 packages: so it is not installed with the others. */
const S3_SERVER = 's3rver@3.7.1';

/** Installs the servers that nodes exchange files with: OpenSSH, and an S3 server from the registry. */
export async function installRemoteServers(): Promise<Preparation> {
  const ssh = await ensureSshServer();
  if ('missing' in ssh) return ssh;
  const folder = join(REPOSITORY, '.deckhand', 's3-server');
  const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  try {
    await execa('npm', ['install', '--prefix', folder, ...options, S3_SERVER]);
    return { SSH_SERVER: ssh.path, S3_SERVER: folder };
  } catch (error) {
    return { missing: `npm could not install ${S3_SERVER}: ${lastLine(error)}` };
  }
}
