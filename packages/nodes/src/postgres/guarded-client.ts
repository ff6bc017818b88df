import { NodeError } from '@deckhand/engine';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { types } from 'node:util';
import pg from 'pg';
import { createMessageGuard, invalid } from './message-guard.ts';

/** An SSLRequest (PostgreSQL, 54.7). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** The server's response: it supports TLS. */
const SPEAKS_TLS = 0x53;
/** How long a server may take to close a connection after this side has, in ms. */
const CLOSE_LIMIT_MS = 1_000;

/**
 * The driver's connection to an untrusted server. A guard checks everything that the server sends. An error that the
 * driver throws while it reads a message closes this connection instead of ending the process. It handles TLS itself,
 * so that the guard sees the messages.
 */
class GuardedStream extends Duplex {
  readonly guard = createMessageGuard();
  readonly #tls: ConnectionOptions | undefined;
  #channel: Socket | undefined;

  constructor(tls: ConnectionOptions | undefined) {
    super();
    this.#tls = tls;
  }

  /** Called by the driver, as are the members below. */
  connect(port: number, host: string): this {
    const socket = connect({ port, host, noDelay: true, keepAlive: true });
    this.#follow(socket);
    socket.once('connect', () => {
      if (this.#tls) this.#startTls(socket, this.#tls);
      else this.#open(socket);
    });
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.#channel?.ref();
    return this;
  }

  unref(): this {
    this.#channel?.unref();
    return this;
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...args);
    try {
      return super.emit(event, ...args);
    } catch (error) {
      this.destroy(
        error instanceof NodeError ? error : invalid(types.isNativeError(error) ? error.message : String(error), error),
      );
      return true;
    }
  }

  override _read(): void {
    this.#channel?.resume();
  }

  override _write(bytes: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#channel) this.#channel.write(bytes, done);
    else done(new Error('the connection is not open'));
  }

  override _final(done: () => void): void {
    this.#channel?.end();
    setTimeout(() => this.destroy(), CLOSE_LIMIT_MS).unref();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#channel?.destroy();
    done(error);
  }

  #follow(channel: Socket): void {
    this.#channel = channel;
    channel.on('error', (error) => this.destroy(error));
    channel.once('close', () => this.destroy());
  }

  #startTls(socket: Socket, options: ConnectionOptions): void {
    socket.once('data', (answer) => {
      // Any data after that byte did not come over TLS.
      if (answer.length !== 1 || answer[0] !== SPEAKS_TLS) {
        this.destroy(new Error('the server does not speak TLS'));
        return;
      }
      const secured = connectTls({ ...options, socket });
      this.#follow(secured);
      secured.once('secureConnect', () => this.#open(secured));
    });
    socket.write(SSL_REQUEST);
  }

  #open(channel: Socket): void {
    channel.on('data', (bytes: Buffer) => {
      try {
        this.guard.check(bytes);
      } catch (error) {
        this.destroy(types.isNativeError(error) ? error : new Error(String(error)));
        return;
      }
      if (!this.push(bytes)) channel.pause();
    });
    channel.once('end', () => this.push(null));
    this.emit('connect');
  }
}

/** A client of the driver for an untrusted server. */
export class GuardedClient extends pg.Client {
  readonly #stream: GuardedStream;

  constructor(config: pg.ClientConfig, tls: ConnectionOptions | undefined) {
    const stream = new GuardedStream(tls);
    // A pool hides the password in a copy of its options.
    super({ ...config, password: config.password, stream: () => stream });
    this.#stream = stream;
    // The caller that waits for the connection gets the error; without a listener, the process would end.
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client: pg.Client) => void): void;
  override connect(callback?: (error: Error | null, client: pg.Client) => void): Promise<pg.Client> | undefined {
    if (!callback) return super.connect();
    super.connect((error: Error | null) => {
      // The driver does not close a connection after a failed login.
      if (error) this.destroy();
      callback(error, this);
    });
    return undefined;
  }

  /** Sets how much the server may send in response to the next request. */
  expect(next: { readonly rows: number; readonly bytes: number }): void {
    this.#stream.guard.expect(next);
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.#stream.destroy();
  }
}
