import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';

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
