import { connect, type Socket } from 'node:net';
import { type AddressRules, resolveHost } from './addresses.ts';

/** Time limit for a connection, in ms. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Time between two checks of what a server sends, in ms. */
const CHECK_MS = 50;

/** A server to connect to, and what it may send. */
export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /** The number of bytes that the server may have sent by now: data that nobody reads would pile up. */
  readonly maxReceivedBytes: () => number;
}

/**
 * Connects to an allowed address of a server. The connection ends when the server sends too much.
 * @throws NodeError ADDRESS_REFUSED; the error of the resolver or the socket.
 */
export async function openSocket(
  { host, port, maxReceivedBytes }: SocketTarget,
  rules: AddressRules,
  signal: AbortSignal,
): Promise<Socket> {
  const address = await resolveHost(host, rules);
  const socket = connect({ host: address, port, signal, timeout: CONNECT_TIMEOUT_MS, noDelay: true });
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
  // Counted at the socket, because data inside TLS or SSH is not visible here.
  const timer = setInterval(() => {
    const maxBytes = maxReceivedBytes();
    if (socket.bytesRead > maxBytes) socket.destroy(new Error(`the server said more than ${maxBytes} bytes`));
  }, CHECK_MS);
  socket.once('close', () => clearInterval(timer));
  return socket;
}
