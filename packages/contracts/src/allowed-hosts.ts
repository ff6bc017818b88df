import Type from 'typebox';

const LABEL = '[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';

/**
 * A list of hosts by name or address: `api.example.com`, `*.example.com` (its subdomains, not the name itself),
 * `10.0.0.7`, `[2001:db8::1]`. Each allows any port, or one that follows: `db.example.com:5432`.
 */
export const AllowedHosts = Type.Array(
  Type.String({
    maxLength: 260,
    pattern: `^(((\\*\\.)?(${LABEL}\\.)*${LABEL})|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$`,
  }),
  { minItems: 1, maxItems: 50, uniqueItems: true },
);

/** Target of a connection. */
export interface HostAndPort {
  /** A name or an address. IPv6 addresses are in brackets. */
  readonly host: string;
  readonly port: number;
}

/** Returns the target of requests to an http or https URL. */
export function hostOf({ protocol, hostname, port }: URL): HostAndPort {
  return { host: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

/** Returns true for an allowed host. Upper and lower case do not matter; escaped names are not allowed. */
export function isAllowedHost({ host, port }: HostAndPort, allowed: readonly string[]): boolean {
  const name = host.toLowerCase();
  // An escaped name could resolve to another host.
  if (name.includes('%')) return false;
  return allowed.some((entry) => {
    const [, pattern = '', onlyPort] = /^(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
    return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern;
  });
}
