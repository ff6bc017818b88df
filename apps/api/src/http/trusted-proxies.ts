import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { type Logger, SettingsError } from '@deckhand/runtime';

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
