import { SSH_PORT } from '@deckhand/contracts';
import { NodeError, type SftpClient, type SftpTarget } from '@deckhand/engine';
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { types } from 'node:util';
import type { Client, ConnectConfig, SFTPWrapper } from 'ssh2';
import { createFairSemaphore } from '../code/fair-semaphore.ts';
import { ANY_ADDRESS, PUBLIC_ONLY } from '../network/addresses.ts';
import { openSocket } from '../network/open-socket.ts';
import { untilAborted } from '../network/until-aborted.ts';
import { excerpt } from '../text/limit.ts';
import { openPrivateKey, type PrivateKey } from './private-key.ts';
import { createSession } from './session.ts';

/** Maximum number of connections of one worker; further nodes wait. */
const CONNECTIONS = 100;
/** Maximum number of connections of one workspace. */
const CONNECTIONS_PER_WORKSPACE = 20;
/** Maximum number of connections of one credential. */
const CONNECTIONS_PER_CREDENTIAL = 5;
/** Time limit for the handshake and the login, in ms. */
const LOGIN_TIMEOUT_MS = 20_000;
/** A silent server is given up after this time, in ms. */
const SILENCE_MS = 60_000;
/** What a server may send beside the content of files, in bytes. */
const MAX_RECEIVED_BYTES = 67_108_864;

/**
 * Key exchanges whose groups are fixed: in others, a server chooses the prime, and with it how long this takes.
 * Nothing is compressed, so that a server cannot send little that becomes much.
 */
const ALGORITHMS: NonNullable<ConnectConfig['algorithms']> = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  compress: ['none'],
};

/**
 * Creates the SFTP client that the nodes of a process share. Each use has a connection of its own. @param allowPrivate
 * whether private addresses may be reached. @param maxKeyRounds of the passphrase of a key, which keep the process
 * busy; 256 by default.
 */
export function createSftpClient({
  allowPrivate,
  maxKeyRounds: maxRounds,
}: {
  allowPrivate: boolean;
  maxKeyRounds?: number;
}): SftpClient {
  const rules = allowPrivate ? ANY_ADDRESS : PUBLIC_ONLY;
  const ofCredentials = createFairSemaphore(Infinity, CONNECTIONS_PER_CREDENTIAL);
  const connections = createFairSemaphore(CONNECTIONS, CONNECTIONS_PER_WORKSPACE);
  return {
    async use(target, work) {
      const { signal, workspaceId, credentialId, server } = target;
      // First the narrow one: who waits here keeps nothing from others.
      const releaseCredential = await ofCredentials.acquire(`${workspaceId} ${credentialId}`, signal);
      let socket: Socket | undefined;
      let contentBytes = 0;
      let release = (): void => undefined;
      try {
        release = await connections.acquire(workspaceId, signal, credentialId);
        return await untilAborted(signal, async () => {
          const { host, port = SSH_PORT, privateKey: pem, passphrase } = server;
          // All of this precedes the connection, whose end would be missed meanwhile.
          // Loaded on first use: most processes connect to no server.
          const { Client, utils } = await import('ssh2').then((module) => module.default);
          const key = pem === undefined ? undefined : await openPrivateKey(pem, passphrase, { ...target, maxRounds });
          if (key && utils.parseKey(key.privateKey, key.passphrase) instanceof Error) throw unreadableKey();
          const maxReceivedBytes = (): number => MAX_RECEIVED_BYTES + 2 * contentBytes;
          socket = await openSocket({ host, port, maxReceivedBytes }, rules, signal);
          return await withSession({ client: new Client(), server, key, socket }, (sftp) =>
            work(createSession(sftp, { noteContent: (bytes) => (contentBytes += bytes) })),
          );
        });
      } catch (error) {
        signal.throwIfAborted();
        throw toNodeError(error, target);
      } finally {
        // Nothing more of an aborted use is sent.
        socket?.destroy();
        release();
        releaseCredential();
      }
    },
  };
}

/** A connection, and who logs in. */
interface Login {
  readonly client: Client;
  readonly server: SftpTarget['server'];
  readonly key: PrivateKey | undefined;
  readonly socket: Socket;
}

/** Logs in, and works until the work or the connection ends. */
async function withSession<T>(
  { client, server, key, socket }: Login,
  work: (sftp: SFTPWrapper) => Promise<T>,
): Promise<T> {
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error(`the server was silent for ${SILENCE_MS} ms`)));
  const { username, password, fingerprint } = server;
  let refusal: NodeError | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    // Later ones are ignored, but must have a listener.
    client.on('error', (error) => reject(refusal ?? error));
    client.on('close', () => reject(refusal ?? new Error('the connection was closed')));
    socket.once('close', () => reject(refusal ?? socket.errored ?? new Error('the connection was closed')));
  });
  const talk = async (): Promise<T> => {
    await new Promise<void>((resolve) => {
      client.once('ready', resolve);
      client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
        finish(prompts.map(() => password ?? ''));
      });
      client.connect({
        sock: socket,
        username,
        ...(password !== undefined && { password, tryKeyboard: true }),
        ...key,
        algorithms: ALGORITHMS,
        readyTimeout: LOGIN_TIMEOUT_MS,
        hostVerifier(key: Buffer) {
          const seen = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
          if (seen === fingerprint.replace(/=+$/, '')) return true;
          const message = `the key of the server has the fingerprint ${seen}, not that of the credential`;
          refusal = new NodeError('SFTP_HOST_KEY', message, { isRetryable: false });
          return false;
        },
      });
    });
    const sftp = await openSftp(client);
    // What violates the protocol ends the session; without a listener, it would end the process.
    const violated = new Promise<never>((_resolve, reject) => sftp.on('error', reject));
    return Promise.race([work(sftp), violated]);
  };
  try {
    return await Promise.race([talk(), ended]);
  } finally {
    client.end();
  }
}

function openSftp(client: Client): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    client.sftp((error, sftp) => {
      if (error) reject(error);
      else resolve(sftp);
    });
  });
}

function unreadableKey(): NodeError {
  const message = 'the private key is not in a format of ssh-keygen, or has another passphrase';
  return new NodeError('CREDENTIAL_UNSUITABLE', message, { isRetryable: false });
}

function toNodeError(error: unknown, { server: { host, port = SSH_PORT } }: SftpTarget): NodeError {
  if (error instanceof NodeError) return error;
  const reason = excerpt(types.isNativeError(error) ? error.message : String(error));
  const message = `${host}:${port}: ${reason}`;
  if (types.isNativeError(error) && 'level' in error && error.level === 'client-authentication')
    return new NodeError('SFTP_LOGIN_FAILED', message, { isRetryable: false, cause: error });
  return new NodeError('SFTP_UNREACHABLE', message, { cause: error });
}
