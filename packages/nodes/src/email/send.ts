import { type MailMessage, type MailReceipt, type MailSender, NodeError } from '@deckhand/engine';
import { isIP, type Socket } from 'node:net';
import { types } from 'node:util';
import { ANY_ADDRESS, isPublicAddress, PUBLIC_ONLY } from '../network/addresses.ts';
import { CONNECT_TIMEOUT_MS, openSocket } from '../network/open-socket.ts';
import { untilAborted } from '../network/until-aborted.ts';
import { compose } from './compose.ts';
import { type Route, signIn, transmit } from './transmit.ts';

/** A silent server is given up after this time, in ms. */
const SILENCE_MS = 60_000;
/** Maximum size of a server's replies to one message, in bytes. */
const MAX_RECEIVED_BYTES = 1_048_576;
/** Maximum length of a server's message that a failure quotes, in characters. */
const MAX_MESSAGE = 2_000;
/** The port on which servers use TLS from the first byte (RFC 8314, 3.3). */
const SUBMISSIONS_PORT = 465;

/** The server of a message, and the end of the work with it. */
type MailTarget = Pick<MailMessage, 'server' | 'signal'>;

/** A mail client that also tries a server without a message. */
export interface MailClient extends MailSender {
  /** Connects to a server and signs in. @throws as `send` does. */
  signIn(target: MailTarget): Promise<void>;
}

/**
 * Creates the mail client that the nodes of a process share. @param allowPrivate whether private addresses may be
 * reached.
 */
export function createMailSender({ allowPrivate }: { allowPrivate: boolean }): MailClient {
  const rules = allowPrivate ? ANY_ADDRESS : PUBLIC_ONLY;

  async function withSocket<T>(target: MailTarget, work: (socket: Socket) => Promise<T>): Promise<T> {
    const { signal } = target;
    let socket: Socket | undefined;
    try {
      return await untilAborted(signal, async () => {
        const { host, port } = target.server;
        socket = await openSocket({ host, port, maxReceivedBytes: () => MAX_RECEIVED_BYTES }, rules, signal);
        return work(socket);
      });
    } catch (error) {
      signal.throwIfAborted();
      throw toNodeError(error, target);
    } finally {
      // Nothing more of an aborted message is sent.
      socket?.destroy();
    }
  }

  return {
    send: (message) => withSocket(message, (socket) => deliver(message, socket)),
    signIn: (target) => withSocket(target, (socket) => signIn(routeOf(target, socket))),
  };
}

async function deliver(message: MailMessage, socket: Socket): Promise<MailReceipt> {
  const mail = await compose(message);
  const { accepted, rejected } = await transmit(mail, routeOf(message, socket));
  return { messageId: mail.messageId(), accepted, rejected };
}

function routeOf({ server }: MailTarget, socket: Socket): Route {
  const { host, port, username, password = '', secure = port === SUBMISSIONS_PORT } = server;
  return {
    connection: socket,
    host,
    port,
    secure,
    // A password is sent over a public network only with encryption.
    requireTLS: server.password !== undefined && isPublicAddress(socket.remoteAddress ?? ''),
    tls: isIP(host) === 0 ? { servername: host } : {},
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    login: username === undefined ? undefined : { user: username, pass: password },
  };
}

function toNodeError(error: unknown, { server: { host, port } }: MailTarget): NodeError {
  if (error instanceof NodeError) return error;
  const reason = (types.isNativeError(error) ? error.message : String(error)).slice(0, MAX_MESSAGE);
  const status = types.isNativeError(error) && 'responseCode' in error ? Number(error.responseCode) : undefined;
  if (status === undefined) return new NodeError('EMAIL_UNREACHABLE', `${host}:${port}: ${reason}`, { cause: error });
  // A 4xx is temporary, a 5xx is not (RFC 5321, 4.2.1).
  return new NodeError('EMAIL_FAILED', reason, { isRetryable: status < 500, cause: error });
}
