import { isIPv6 } from 'node:net';
import { bareHost } from '../network/addresses.ts';

/** The proxies of requests, as in HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly httpProxy?: string | undefined;
  /** Without one, https goes through `httpProxy`. */
  readonly httpsProxy?: string | undefined;
  /**
   * Hosts to connect to directly: names (with their subdomains; `*.name` for those alone) or `*`, each with or without
   * a port, separated by commas.
   */
  readonly noProxy?: string | undefined;
  /** Whether the proxy resolves names, and blocks private addresses itself. */
  readonly resolvesNames?: boolean | undefined;
}

/** Returns the proxy of a request; undefined for a direct request. */
export function proxyFor(
  url: URL,
  { httpProxy = '', httpsProxy = '', noProxy = '' }: ProxySettings,
): string | undefined {
  const proxy = url.protocol === 'https:' && httpsProxy !== '' ? httpsProxy : httpProxy;
  return proxy === '' || isExcepted(url, noProxy) ? undefined : proxy;
}

function isExcepted(url: URL, noProxy: string): boolean {
  const host = withoutDot(bareHost(url.hostname).toLowerCase());
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return noProxy.split(/[,\s]+/).some((entry) => {
    const [name, onlyPort] = readEntry(entry.toLowerCase());
    if (name === '' || (onlyPort !== undefined && onlyPort !== port)) return false;
    if (name === '*') return true;
    const domain = withoutDot(name.replace(/^\*?\./, ''));
    return host.endsWith(`.${domain}`) || (!name.startsWith('*') && host === domain);
  });
}

/** The host and the port of an entry; IPv6 with a port is in brackets. */
function readEntry(entry: string): [host: string, port: string | undefined] {
  if (isIPv6(entry)) return [entry, undefined];
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return [bareHost(host), port];
}

function withoutDot(name: string): string {
  return name.replace(/(.)\.$/, '$1');
}
