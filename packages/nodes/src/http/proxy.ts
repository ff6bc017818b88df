/** Where requests go through, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say it. */
export interface ProxySettings {
  readonly httpProxy?: string | undefined;
  /** Without one, https goes through `httpProxy`. */
  readonly httpsProxy?: string | undefined;
  /** Hosts to connect to directly: names (with their subdomains) or `*`, separated by commas. */
  readonly noProxy?: string | undefined;
}

/** True when any request may go through a proxy. */
export function isProxied(proxy: ProxySettings | undefined): proxy is ProxySettings {
  return Boolean(proxy?.httpProxy) || Boolean(proxy?.httpsProxy);
}
