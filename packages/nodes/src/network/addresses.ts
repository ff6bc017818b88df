import { NodeError } from '@deckhand/engine';
import ipaddr from 'ipaddr.js';
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** All IPv6 addresses that are assigned to hosts; others wrap IPv4 addresses or are not routed. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Looks public, but returns the secrets of each machine of a large cloud to that machine. */
const CLOUD_HOST = '168.63.129.16';

/** Finds every address of a name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** How names are resolved, and which addresses may be reached. */
export interface AddressRules {
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
}

/**
 * Returns true for a public address: plain unicast. Loopback, private, link-local, carrier-grade NAT, multicast,
 * benchmarking, documentation, and all forms that wrap an IPv4 address in IPv6 are not public; a mapped one counts as
 * the address that it stands for.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === CLOUD_HOST) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

/** The rules for nodes unless private addresses are allowed. */
export const PUBLIC_ONLY: AddressRules = { resolve: lookup, isAllowed: isPublicAddress };

/** Returns the failure of a request to an address that nodes may not reach. */
export function addressRefused(host: string): NodeError {
  const message = `${host} is not a public address; HTTP_NODE_ALLOW_PRIVATE allows private ones`;
  return new NodeError('ADDRESS_REFUSED', message, { isRetryable: false });
}

/** Returns a URL's host for the connector and the resolver: IPv6 without its brackets. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Returns a lookup for the connector that refuses names with any address that is not allowed. The checked address is
 * the one that is connected to, so a name that resolves differently the next time gains nothing.
 */
export function guardedLookup({ resolve, isAllowed }: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = error ? [] : addresses;
      if (!first) callback(error ?? new Error(`${hostname} has no address`), '');
      else if (!addresses.every(({ address }) => isAllowed(address))) callback(addressRefused(hostname), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The rules if private addresses are allowed. */
export const ANY_ADDRESS: AddressRules = { resolve: lookup, isAllowed: () => true };

/**
 * Returns the address to connect to for a host: the checked address is the one that is connected to.
 * @throws NodeError ADDRESS_REFUSED; the resolver's error for a name that has no address.
 */
export async function resolveHost(hostname: string, rules: AddressRules = PUBLIC_ONLY): Promise<string> {
  const host = bareHost(hostname);
  if (isIP(host) !== 0) {
    if (!rules.isAllowed(host)) throw addressRefused(host);
    return host;
  }
  return new Promise((done, fail) => {
    guardedLookup(rules)(host, { all: true }, (error, found) => {
      if (error) {
        fail(error);
        return;
      }
      const addresses = typeof found === 'string' ? [{ address: found, family: 4 }] : found;
      // If only one address is wanted, IPv4 works everywhere.
      const address = addresses.find(({ family }) => family === 4) ?? addresses[0];
      if (address) done(address.address);
      else fail(new Error(`${host} has no address`));
    });
  });
}
