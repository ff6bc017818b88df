import { isIP } from 'node:net';
import { types } from 'node:util';
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { addressRefused, type AddressRules, bareHost, guardedLookup, PUBLIC_ONLY } from '../network/addresses.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** A silent server is given up after this time, in ms, unless a request gives it another one. */
const SILENCE_MS = 300_000;
/** Maximum number of connections to one origin; further requests wait. */
const CONNECTIONS_PER_ORIGIN = 64;
/** Codes of errors by which a server ends a connection. */
const ENDED_BY_SERVER = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Pools of connections, with timeouts for silent servers. */
export interface Dispatchers {
  /** Returns the pool for requests through a proxy, or for direct requests if undefined. */
  through(proxyUrl: string | undefined): Dispatcher;
  /** Returns the pool for direct requests that each need a new connection. */
  fresh(): Dispatcher;
  /** Returns true if an error is that of a direct connection which had brought responses before. */
  endedKeptConnection(error: unknown): boolean;
  close(): Promise<void>;
}

/**
 * Creates the pools of a client, each on first use.
 * @param options.rules which addresses may be reached directly.
 * @param options.tunnelsAll whether http also uses a tunnel of the proxy (CONNECT), so that the address that the proxy
 * connects to may differ from the host that the request names. Otherwise only https does, because many proxies allow
 * CONNECT to port 443 only.
 */
export function createDispatchers(options: { rules: AddressRules; tunnelsAll: boolean }): Dispatchers {
  const settings = {
    connections: CONNECTIONS_PER_ORIGIN,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  };
  const pools = new Map<string | undefined, Dispatcher>();
  let fresh: Dispatcher | undefined;
  const endsOfKept = new WeakSet<object>();
  const guarded = guardedConnector(options.rules);
  const connect: buildConnector.connector = (target, callback) =>
    guarded(target, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      // undici fails the request with the error of its socket, and does not say what the socket was used for before.
      socket.on('error', (end: NodeJS.ErrnoException) => {
        if (socket.bytesRead > 0 && ENDED_BY_SERVER.has(end.code ?? '')) endsOfKept.add(end);
      });
      callback(null, socket);
    });

  function open(proxyUrl: string | undefined): Dispatcher {
    if (proxyUrl === undefined) return new Agent({ ...settings, connect });
    // Without TLS options, the server name of TLS is taken from the Host header.
    return new ProxyAgent({
      ...settings,
      uri: proxyUrl,
      proxyTunnel: options.tunnelsAll,
      connectTimeout: CONNECT_TIMEOUT_MS,
    });
  }

  return {
    through(proxyUrl) {
      const pool = pools.get(proxyUrl) ?? open(proxyUrl);
      pools.set(proxyUrl, pool);
      return pool;
    },
    fresh() {
      // Without pipelining, undici closes each connection after its response.
      fresh ??= new Agent({ ...settings, connect, pipelining: 0 });
      return fresh;
    },
    endedKeptConnection: (error) => types.isNativeError(error) && endsOfKept.has(error),
    async close() {
      await Promise.all([...pools.values(), ...(fresh ? [fresh] : [])].map((pool) => pool.close()));
    },
  };
}

/**
 * Returns a connector that reaches only allowed addresses: names are checked by the addresses that they resolve to,
 * addresses directly, because they are never looked up. Every connection passes through it, so redirects and changing
 * names cannot bypass it.
 */
export function guardedConnector(rules: AddressRules = PUBLIC_ONLY): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(rules) });
  return (target, callback) => {
    const host = bareHost(target.hostname);
    if (isIP(host) !== 0 && !rules.isAllowed(host)) callback(addressRefused(host), null);
    else connect(target, callback);
  };
}
