import { type MailMessage, type MailReceipt, type MailSender, NodeError } from '@deckhand/engine';
import { connect, isIP, type Socket } from 'node:net';
import { types } from 'node:util';
import { ANY_ADDRESS, type AddressRules, isPublicAddress, PUBLIC_ONLY, resolveHost } from '../network/addresses.ts';
import { untilAborted } from '../network/until-aborted.ts';
import { compose } from './compose.ts';
import { transmit } from './transmit.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** A silent server is given up after this time, in ms. */
const SILENCE_MS = 60_000;
/** Maximum size of a server's replies to one message, in bytes. */
const MAX_RECEIVED_BYTES = 1_048_576;
/** Time between two checks of it, in ms. */
const CHECK_MS = 50;
/** Maximum length of a server's message that a failure quotes, in characters. */
const MAX_MESSAGE = 2_000;
/** The port on which servers use TLS from the first byte (RFC 8314, 3.3). */
const SUBMISSIONS_PORT = 465;

/**
 * Creates the mail client that the nodes of a process share. @param allowPrivate whether private addresses may be
 * reached.
 */
export function createMailSender({ allowPrivate }: { allowPrivate: boolean }): MailSender {
  const rules = allowPrivate ? ANY_ADDRESS : PUBLIC_ONLY;
  return {
    async send(message) {
      const { signal } = message;
      let socket: Socket | undefined;
      try {
        return await untilAborted(signal, async () => {
          socket = await openSocket(message.server, rules, signal);
          return deliver(message, socket);
        });
      } catch (error) {
        signal.throwIfAborted();
        throw toNodeError(error, message);
      } finally {
        // Nothing more of an aborted message is sent.
        socket?.destroy();
      }
    },
  };
}

async function openSocket(
  { host, port }: MailMessage['server'],
  rules: AddressRules,
  signal: AbortSignal,
): Promise<Socket> {
  const address = await resolveHost(host, rules);
  const socket = connect({ host: address, port, signal, timeout: CONNECT_TIMEOUT_MS });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
    socket.once('timeout', () => {
      socket.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`));
    });
  });
  socket.setTimeout(0);
  // The reader reports errors to the caller; without a listener, the process would end.
  socket.on('error', () => undefined);
  boundReceived(socket);
  return socket;
}

/** Closes a connection whose server sends too much: replies that are not read would pile up. */
function boundReceived(socket: Socket): void {
  // Counted at the socket, because data inside TLS is not visible here.
  const timer = setInterval(() => {
    if (socket.bytesRead <= MAX_RECEIVED_BYTES) return;
    socket.destroy(new Error(`the server said more than ${MAX_RECEIVED_BYTES} bytes`));
  }, CHECK_MS);
  socket.once('close', () => clearInterval(timer));
}

async function deliver(message: MailMessage, socket: Socket): Promise<MailReceipt> {
  const { host, port, username, password = '', secure = port === SUBMISSIONS_PORT } = message.server;
  const mail = await compose(message);
  const { accepted, rejected } = await transmit(mail, {
    connection: socket,
    host,
    port,
    secure,
    // A password is sent over a public network only with encryption.
    requireTLS: message.server.password !== undefined && isPublicAddress(socket.remoteAddress ?? ''),
    tls: isIP(host) === 0 ? { servername: host } : {},
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    login: username === undefined ? undefined : { user: username, pass: password },
  });
  return { messageId: mail.messageId(), accepted, rejected };
}

function toNodeError(error: unknown, { server: { host, port } }: MailMessage): NodeError {
  if (error instanceof NodeError) return error;
  const reason = (types.isNativeError(error) ? error.message : String(error)).slice(0, MAX_MESSAGE);
  const status = types.isNativeError(error) && 'responseCode' in error ? Number(error.responseCode) : undefined;
  if (status === undefined) return new NodeError('EMAIL_UNREACHABLE', `${host}:${port}: ${reason}`, { cause: error });
  // A 4xx is temporary, a 5xx is not (RFC 5321, 4.2.1).
  return new NodeError('EMAIL_FAILED', reason, { isRetryable: status < 500, cause: error });
}
