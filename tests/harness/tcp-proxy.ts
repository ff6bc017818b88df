import { freePort } from '@deckhand/local';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { stopLater } from './cleanup.ts';

/** What lies between a process and a store, and can be taken away. */
export interface TcpProxy {
  /** The store's URL as seen through the proxy. */
  readonly url: string;
  /** Refuses new connections and resets those there are. */
  cut(): Promise<void>;
  /**
   * Accepts bytes and forwards none, in either direction. They are lost: a connection that was open then stays silent
   * for good, as behind a firewall that dropped it. `of`: only connections that have sent a text for which it returns
   * true.
   */
  silence(of?: (sent: string) => boolean): void;
  /** Lets new connections through again. */
  restore(): Promise<void>;
  /** Sends new connections to another server from now on. */
  redirect(storeUrl: string): void;
  stop(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isSilent: boolean;
}

/** Starts a proxy in front of a store. Connections pass until it is changed. */
export async function startTcpProxy(storeUrl: string): Promise<TcpProxy> {
  let target = new URL(storeUrl);
  const pairs = new Set<Pair>();
  let isSwallowed: ((sent: string) => boolean) | undefined;
  let server: Server | undefined;

  function accept(client: Socket): void {
    const pair: Pair = {
      client,
      server: connect(Number(target.port), target.hostname),
      isSilent: false,
    };
    pairs.add(pair);
    for (const [from, to] of [
      [pair.client, pair.server],
      [pair.server, pair.client],
    ] as const) {
      from.setNoDelay(true);
      from.on('data', (bytes: Buffer) => {
        if (from === pair.client && isSwallowed?.(bytes.toString('latin1'))) pair.isSilent = true;
        if (!pair.isSilent) to.write(bytes);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        pairs.delete(pair);
        // The end of one that is cut off is not heard of on the other side either.
        if (!pair.isSilent || from === pair.client) to.destroy();
      });
    }
  }

  async function listen(port: number): Promise<number> {
    const opened = createServer(accept);
    await new Promise<void>((resolve, reject) => {
      opened.once('error', reject);
      opened.listen(port, '127.0.0.1', resolve);
    });
    server = opened;
    const address = opened.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    return address.port;
  }

  async function cut(): Promise<void> {
    const closed = server;
    server = undefined;
    const closing = new Promise<void>((resolve) => (closed ? closed.close(() => resolve()) : resolve()));
    for (const { client, server: store } of pairs) {
      client.resetAndDestroy();
      store.destroy();
    }
    await closing;
  }

  // Nobody else gets the port of a proxy that is cut off.
  const port = await listen(await freePort());
  const url = new URL(storeUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return stopLater({
    url: url.href,
    cut,
    silence(of = () => true) {
      isSwallowed = of;
      for (const pair of pairs) if (of('')) pair.isSilent = true;
    },
    async restore() {
      isSwallowed = undefined;
      if (!server) await listen(port);
    },
    redirect: (otherUrl) => void (target = new URL(otherUrl)),
    stop: cut,
  });
}
