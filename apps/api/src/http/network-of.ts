import { isIPv6 } from 'node:net';

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
export function unmapIPv4(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** Returns the 16-bit groups of a part of an address. An IPv4 address at its end counts as two, of any value. */
function groupsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
}
