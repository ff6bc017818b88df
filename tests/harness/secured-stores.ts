import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findRedisServer, freePort, NoRedisError, startProcess } from '@deckhand/local';
import pg from 'pg';
import { generate } from 'selfsigned';
import { stopLater } from './cleanup.ts';
import { startTestPostgres } from './databases.ts';

const ADDRESS = '127.0.0.1';

/** Paths of a certificate for the loopback address, which is its own authority, and of its key. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** Makes a certificate. */
export async function createCertificate(): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  const { cert, private: key } = await generate([{ name: 'commonName', value: ADDRESS }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: ADDRESS }] },
    ],
  });
  const paths = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') };
  await writeFile(paths.certificate, cert);
  await writeFile(paths.key, key, { mode: 0o600 });
  return paths;
}

/**
 * Starts a Redis that speaks TLS only, to a user with a name.
 * @returns its URL, with a database other than the first.
 */
export async function startSecuredRedis({ certificate, key }: Certificate): Promise<string> {
  const command = await findRedisServer();
  if (command === undefined) throw new NoRedisError('');
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  stopLater({ stop: () => rm(dir, { recursive: true, force: true }) });
  const port = await freePort();
  const settings = [
    `bind ${ADDRESS}`,
    'port 0',
    `tls-port ${port}`,
    `tls-cert-file ${certificate}`,
    `tls-key-file ${key}`,
    'tls-auth-clients no',
    'save ""',
    'maxmemory-policy noeviction',
    'user default off',
    'user deckhand on >secret ~* &* +@all',
  ];
  stopLater(
    await startProcess({
      name: 'Redis with TLS',
      command,
      args: ['-'],
      input: `${settings.join('\n')}\n`,
      env: { PATH: process.env.PATH },
      cwd: dir,
      logPath: join(dir, 'redis.log'),
    }),
  );
  return `rediss://deckhand:secret@${ADDRESS}:${port}/3`;
}

/** Starts a migrated PostgreSQL that speaks TLS. @returns its URL, without a word of how to check its certificate. */
export async function startSecuredPostgres({ certificate, key }: Certificate): Promise<string> {
  const server = await startTestPostgres();
  const { uid, gid } = await stat(server.dataPath);
  const own = { certificate: join(server.dataPath, 'server.crt'), key: join(server.dataPath, 'server.key') };
  // PostgreSQL reads a key only if it is its own.
  await promisify(execFile)('cp', [certificate, key, server.dataPath]);
  for (const path of Object.values(own)) await chown(path, uid, gid);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`ALTER SYSTEM SET ssl_cert_file = 'server.crt'`);
  await client.query(`ALTER SYSTEM SET ssl_key_file = 'server.key'`);
  await client.query('ALTER SYSTEM SET ssl = on');
  await client.end();
  await server.restart();
  return server.url;
}
