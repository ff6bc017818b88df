import { type MailMessage, type MailReceipt, type MailSender, NodeError } from '@deckhand/engine';
import { createHash } from 'node:crypto';
import { connect, isIP, type Socket } from 'node:net';
import { types } from 'node:util';
import { ANY_ADDRESS, type AddressRules, isPublicAddress, PUBLIC_ONLY, resolveHost } from '../network/addresses.js';
import { untilAborted } from '../network/until-aborted.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that says nothing for this long is given up, in ms. */
const SILENCE_MS = 60_000;
/** All that a server may say to one message, in bytes. */
const MAX_RECEIVED_BYTES = 1_048_576;
/** Between two checks of it, in ms. */
const CHECK_MS = 50;
/** Characters of what a server said that its node's failure quotes. */
const MAX_MESSAGE = 2_000;
/** The port whose servers speak TLS from the first byte (RFC 8314, 3.3). */
const SUBMISSIONS_PORT = 465;

/**
 * Creates what the nodes of a process send messages with.
 * @param allowPrivate whether private addresses may be reached.
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
        // Of an aborted message nothing more is sent.
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
  // What reads from it tells whoever waits; without a listener, the process would end.
  socket.on('error', () => undefined);
  boundReceived(socket);
  return socket;
}

/** Ends a connection over which the server says too much: replies that nobody waits for would pile up. */
function boundReceived(socket: Socket): void {
  // Counted by the socket, since what comes over TLS is not seen here.
  const timer = setInterval(() => {
    if (socket.bytesRead <= MAX_RECEIVED_BYTES) return;
    socket.destroy(new Error(`the server said more than ${MAX_RECEIVED_BYTES} bytes`));
  }, CHECK_MS);
  socket.once('close', () => clearInterval(timer));
}

async function deliver(message: MailMessage, connection: Socket): Promise<MailReceipt> {
  const { host, port, username, password, secure = port === SUBMISSIONS_PORT } = message.server;
  // Loaded with the first message: most processes send none.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    connection,
    host,
    port,
    secure,
    // A password goes over the open network only once it is encrypted.
    requireTLS: password !== undefined && isPublicAddress(connection.remoteAddress ?? ''),
    tls: isIP(host) === 0 ? { servername: host } : {},
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    ...(username === undefined ? {} : { auth: { user: username, pass: password ?? '' } }),
    // Messages are made of what they hold, never of files of this machine or of what is fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = message;
  const info = await transport.sendMail({
    messageId: messageIdOf(message),
    from,
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    subject,
    headers: { ...headers },
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    attachments: attachments.map(({ filename, content, contentType }) => ({
      filename,
      content: Buffer.from(content),
      ...(contentType === undefined ? {} : { contentType }),
    })),
  });
  return { messageId: info.messageId, accepted: info.accepted.map(String), rejected: info.rejected.map(String) };
}

/** The same for a message that is sent again; its right side is the sender's domain (RFC 5322, 3.6.4). */
function messageIdOf({ idempotencyKey, from }: MailMessage): string {
  const [domain = 'deckhand.invalid'] = /[A-Za-z0-9.-]+(?=>?\s*$)/.exec(from) ?? [];
  return `<${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32)}@${domain}>`;
}

function toNodeError(error: unknown, { server: { host, port } }: MailMessage): NodeError {
  if (error instanceof NodeError) return error;
  const reason = (types.isNativeError(error) ? error.message : String(error)).slice(0, MAX_MESSAGE);
  const status = types.isNativeError(error) && 'responseCode' in error ? Number(error.responseCode) : undefined;
  if (status === undefined) return new NodeError('EMAIL_UNREACHABLE', `${host}:${port}: ${reason}`, { cause: error });
  // 4xx may be gone the next time, 5xx not (RFC 5321, 4.2.1).
  return new NodeError('EMAIL_FAILED', reason, { isRetryable: status < 500, cause: error });
}
