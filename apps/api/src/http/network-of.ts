import { isIPv6 } from 'node:net';

/** Returns the network that limits on callers count by: an IPv4 address, or a /64 of IPv6, which one caller has. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0);
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** Returns the 16-bit groups of a part of an address. An IPv4 address at its end counts as two, of any value. */
function groupsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
}
