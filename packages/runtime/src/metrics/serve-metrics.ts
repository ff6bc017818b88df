import { createServer, type IncomingMessage, type ServerResponse, type IncomingHttpHeaders } from 'node:http';
import type { Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import { BlockList, isIPv6 } from 'node:net';
import { isSameSecret } from '../secret-box.ts';

/** A listening server of metrics. */
export interface MetricsServer {
  close(): Promise<void>;
}

/** The source of the server's responses. */
export interface MetricsSource {
  readonly registry: Registry;
  /** Returns true while the process does its work: not while it starts, and not once it stops. */
  readonly isReady: () => boolean;
  readonly logger: Logger;
}

/**
 * Serves only these on METRICS_PORT: GET /metrics, for scrapers that send METRICS_TOKEN or, without that setting, for
 * callers on this machine; GET /healthz, 200 while the event loop runs; GET /readyz, 200 or 503.
 * @returns undefined if METRICS_PORT is not set.
 * @throws if the port is not available.
 */
export async function serveMetrics(
  settings: { readonly METRICS_PORT?: number; readonly METRICS_TOKEN?: string; readonly LISTEN_ADDRESS?: string },
  source: MetricsSource,
): Promise<MetricsServer | undefined> {
  const { METRICS_PORT: port, METRICS_TOKEN: token, LISTEN_ADDRESS: host } = settings;
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    answer(request, response, { ...source, token }).catch((err: unknown) => {
      source.logger.error({ err }, 'failed to read metrics');
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, resolve);
  });
  source.logger.info({ address: server.address() }, 'started to serve metrics');
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  { url, method, headers, socket }: IncomingMessage,
  response: ServerResponse,
  { registry, isReady, token }: MetricsSource & { token: string | undefined },
): Promise<void> {
  const path = url?.split('?')[0] ?? '';
  if (!['/metrics', '/healthz', '/readyz'].includes(path)) {
    response.writeHead(404).end();
  } else if (method !== 'GET') {
    response.writeHead(405, { Allow: 'GET' }).end();
  } else if (path === '/healthz') {
    sendStatus(response, 200, 'ok');
  } else if (path === '/readyz') {
    sendStatus(response, isReady() ? 200 : 503, isReady() ? 'ready' : 'not ready');
  } else if (token === undefined && !isLocalCaller(socket.remoteAddress, headers)) {
    response.writeHead(403).end('Without METRICS_TOKEN, metrics are for this machine alone.\n');
  } else if (token !== undefined && !hasMetricsToken(headers.authorization, token)) {
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="metrics"' }).end();
  } else {
    const text = await registry.metrics();
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
  }
}

function sendStatus(response: ServerResponse, code: number, status: string): void {
  response.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify({ status }));
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers that proxies add to forwarded requests. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Returns true if a request comes from this machine: from a loopback address, and not through a proxy. */
export function isLocalCaller(address: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (address === undefined || address === '') return false;
  if (PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false;
  return LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Returns true if an `Authorization` header contains the token. Takes the same time for every header. */
export function hasMetricsToken(authorization: string | undefined, token: string): boolean {
  return isSameSecret(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1], token);
}
