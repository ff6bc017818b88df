import Type from 'typebox';

const LABEL = '[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';

/**
 * Hosts by name or address: `api.example.com`, `*.example.com` for its subdomains alone, `10.0.0.7`, `[2001:db8::1]`,
 * each with any port, or with one: `db.example.com:5432`.
 */
export const AllowedHosts = Type.Array(
  Type.String({
    maxLength: 260,
    pattern: `^(((\\*\\.)?(${LABEL}\\.)*${LABEL})|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$`,
  }),
  { minItems: 1, maxItems: 50, uniqueItems: true },
);

/** Where a connection leads. */
export interface HostAndPort {
  /** A name or an address; IPv6 in brackets. */
  readonly host: string;
  readonly port: number;
}

/** Where requests to a URL of http or https go. */
export function hostOf({ protocol, hostname, port }: URL): HostAndPort {
  return { host: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

/** True for a host that is among the allowed ones, in any case. Names that are written otherwise are none of them. */
export function isAllowedHost({ host, port }: HostAndPort, allowed: readonly string[]): boolean {
  const name = host.toLowerCase();
  // An escaped character might turn out to be another host's.
  if (name.includes('%')) return false;
  return allowed.some((entry) => {
    const [, pattern = '', onlyPort] = /^(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
    return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern;
  });
}
