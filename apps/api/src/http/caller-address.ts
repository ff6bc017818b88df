import { isIPv6, isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import type { Origin } from '@deckhand/db';
import { type Logger, SettingsError } from '@deckhand/runtime';

/** Returns the network that limits on callers count by: an IPv4 address, or a /64 of IPv6, which one caller has. */
export function networkOf(address: string): string {
  const unmapped = unmapIPv4(address);
  if (!isIPv6(unmapped)) return unmapped;
  const [head = '', tail] = unmapped.replace(/%.*$/, '').split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0);
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/**
 * Returns an IPv4-mapped IPv6 address as the IPv4 address, and others as they are. A socket for IPv4 and IPv6 has the
 * first for all callers by IPv4.
 */
function unmapIPv4(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** Returns the 16-bit groups of a part of an address. An IPv4 address at its end counts as two, of any value. */
function groupsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
}

/** Where a request came from, for the record of what it changes. */
export function originOf(request: Pick<Request, 'id' | 'ip'>, apiKeyId: string | null): Origin {
  const requestId = typeof request.id === 'string' ? request.id : '';
  return { apiKeyId, address: unmapIPv4(request.ip ?? ''), requestId };
}

/** Named ranges of Express. */
const RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

/**
 * Parses the list of proxies whose `X-Forwarded-For` is trusted.
 * @param list comma-separated addresses, ranges such as 10.0.0.0/8, `loopback`, `linklocal` and `uniquelocal`.
 * @throws SettingsError naming the first invalid entry.
 */
export function readTrustedProxies(list = ''): readonly string[] {
  const proxies = list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const bad = proxies.find((each) => !RANGES.has(each) && !isRange(each));
  if (bad !== undefined) {
    throw new SettingsError(`Bad settings: TRUSTED_PROXIES must name addresses or ranges of them, not "${bad}"`);
  }
  return proxies;
}

function isRange(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= bits);
  return isIP(address) !== 0 && isLength && rest.length === 0;
}

/** Logs the first request that has `X-Forwarded-For` but does not come from a trusted proxy. */
export function reportUnknownProxy(logger: Logger): RequestHandler {
  let isReported = false;
  return (request, _response, next) => {
    if (
      !isReported &&
      request.headers['x-forwarded-for'] !== undefined &&
      request.ip === request.socket.remoteAddress
    ) {
      isReported = true;
      logger.warn(
        { address: request.ip },
        'X-Forwarded-For ignored: if this address is a proxy of yours, add it to TRUSTED_PROXIES',
      );
    }
    next();
  };
}
