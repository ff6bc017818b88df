import { type MailMessage, type MailReceipt, type MailSender, NodeError } from '@deckhand/engine';
import { isIP, type Socket } from 'node:net';
import { types } from 'node:util';
import { ANY_ADDRESS, isPublicAddress, PUBLIC_ONLY } from '../network/addresses.ts';
import { CONNECT_TIMEOUT_MS, openSocket } from '../network/open-socket.ts';
import { untilAborted } from '../network/until-aborted.ts';
import { compose } from './compose.ts';
import { transmit } from './transmit.ts';

/** A silent server is given up after this time, in ms. */
const SILENCE_MS = 60_000;
/** Maximum size of a server's replies to one message, in bytes. */
const MAX_RECEIVED_BYTES = 1_048_576;
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
          const { host, port } = message.server;
          socket = await openSocket({ host, port, maxReceivedBytes: () => MAX_RECEIVED_BYTES }, rules, signal);
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
