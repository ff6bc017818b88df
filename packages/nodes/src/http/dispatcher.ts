import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { addressRefused, type AddressRules, bareHost, guardedLookup, PUBLIC_ONLY } from '../network/addresses.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that says nothing for this long is given up, in ms. */
const SILENCE_MS = 300_000;
/** Connections to one origin at most; further requests wait. */
const CONNECTIONS_PER_ORIGIN = 64;

/** Pools of connections, with bounds on silence. */
export interface Dispatchers {
  /** The pool of requests that go through a proxy; of those that go directly without one. */
  through(proxyUrl: string | undefined): Dispatcher;
  close(): Promise<void>;
}

/**
 * Makes the pools that a client sends through, each when it is first needed.
 * @param options.rules which addresses may be reached directly.
 * @param options.tunnelsAll whether also http goes through a tunnel of the proxy's (CONNECT), so that the address that
 * the proxy connects to and the host that the request names may differ. Without it only https does, since many proxies
 * allow CONNECT to port 443 only.
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
    // Without options of TLS, the name that is asked for there is the one of the Host header.
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
 * A connector that reaches allowed addresses only: names are checked by what they resolve to, addresses by themselves,
 * since those are never looked up. As every connection passes here, redirects and names that change are no way around
 * it.
 */
export function guardedConnector(rules: AddressRules = PUBLIC_ONLY): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(rules) });
  return (target, callback) => {
    const host = bareHost(target.hostname);
    if (isIP(host) !== 0 && !rules.isAllowed(host)) callback(addressRefused(host), null);
    else connect(target, callback);
  };
}
