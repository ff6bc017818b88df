import { NodeError } from '@deckhand/engine';
import ipaddr from 'ipaddr.js';
import { lookup as resolve, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * True for an address that is reachable by everybody: plain unicast. Loopback, private, link-local, carrier-grade NAT,
 * multicast, documentation, and every form that wraps an IPv4 address in IPv6 (mapped ones are unwrapped first) are not.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'unicast';
}

/** The failure of a request to an address that nodes may not reach. */
export function addressRefused(host: string): NodeError {
  const message = `${host} is not a public address; HTTP_NODE_ALLOW_PRIVATE allows private ones`;
  return new NodeError('ADDRESS_REFUSED', message, { isRetryable: false });
}

/**
 * Resolves names for the connector and refuses those with a private address. What is checked here is what is connected to,
 * so a name that answers differently the next time gains nothing.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) {
      callback(error ?? new Error(`${hostname} has no address`), '');
      return;
    }
    if (!addresses.every(({ address }: LookupAddress) => isPublicAddress(address))) {
      callback(addressRefused(hostname), '');
      return;
    }
    if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
