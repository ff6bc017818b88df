import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { addressRefused, type AddressRules, bareHost, guardedLookup, PUBLIC_ONLY } from '../network/addresses.js';
import { isProxied, type ProxySettings } from './proxy.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that says nothing for this long is given up, in ms. */
const SILENCE_MS = 300_000;
/** Connections to one origin at most; further requests wait. */
const CONNECTIONS_PER_ORIGIN = 64;

/** The pools of connections that a client sends through, by origin, with bounds on silence. */
export function createDispatcher(options: { allowPrivate: boolean; proxy?: ProxySettings | undefined }): Dispatcher {
  const { allowPrivate, proxy } = options;
  const settings = {
    connect: allowPrivate ? { timeout: CONNECT_TIMEOUT_MS } : guardedConnector(),
    connections: CONNECTIONS_PER_ORIGIN,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  };
  if (!isProxied(proxy)) return new Agent(settings);
  return new EnvHttpProxyAgent({
    ...settings,
    // Empty texts, not undefined: the environment is read where settings are, not here.
    httpProxy: proxy.httpProxy ?? '',
    httpsProxy: proxy.httpsProxy ?? '',
    noProxy: proxy.noProxy ?? '',
    // Many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
    proxyTls: { timeout: CONNECT_TIMEOUT_MS },
    requestTls: { timeout: CONNECT_TIMEOUT_MS },
  });
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
