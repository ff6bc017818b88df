import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { addressRefused, type AddressRules, bareHost, guardedLookup, PUBLIC_ONLY } from '../network/addresses.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A silent server is given up after this time, in ms. */
const SILENCE_MS = 300_000;
/** Maximum number of connections to one origin; further requests wait. */
const CONNECTIONS_PER_ORIGIN = 64;

/** Pools of connections, with timeouts for silent servers. */
export interface Dispatchers {
  /** Returns the pool for requests through a proxy, or for direct requests if undefined. */
  through(proxyUrl: string | undefined): Dispatcher;
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

  function open(proxyUrl: string | undefined): Dispatcher {
    if (proxyUrl === undefined) return new Agent({ ...settings, connect: guardedConnector(options.rules) });
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
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
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
