import { NodeError } from '@deckhand/engine';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { type AddressRules, bareHost, isPublicAddress, resolveHost } from '../network/addresses.ts';

/**
 * Parameters that a connection string may have. The driver accepts many more, some of which name files of the worker's
 * machine, or are called as functions.
 */
const PARAMETERS = new Set([
  'application_name',
  'channel_binding',
  'connect_timeout',
  'options',
  'ssl',
  'sslmode',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'target_session_attrs',
  'uselibpqcompat',
]);
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_PORT = 5_432;

/** How to reach a database. */
export interface ConnectionTarget {
  /** Options of the driver. It never uses TLS itself. */
  readonly config: ClientConfig;
  /** Options of TLS; undefined for a connection without it. */
  readonly tls: ConnectionOptions | undefined;
}

/**
 * Returns how to reach the database of a connection string. Nothing comes from the worker's own environment or files,
 * and a socket of its machine counts as a private address. @throws NodeError CREDENTIAL_UNSUITABLE, ADDRESS_REFUSED,
 * POSTGRES_UNREACHABLE.
 */
export async function connectionTarget(connectionString: string, rules: AddressRules): Promise<ConnectionTarget> {
  const url = readUrl(connectionString);
  const parameters = readParameters(url.searchParams);
  const host = unescaped(bareHost(url.hostname));
  const user = unescaped(url.username);
  if (host === '' || host.startsWith('/'))
    throw unsuitable('the connection string needs the name or address of a host');
  if (user === '') throw unsuitable('the connection string needs a user');
  const address = await resolve(host, rules);
  const tls = tlsOptions(parameters, { host, isPublic: isPublicAddress(address) });
  const { options, ...timeouts } = startupParameters(parameters);
  return {
    config: {
      host: address,
      port: url.port === '' ? DEFAULT_PORT : Number(url.port),
      user,
      // Without these, the driver uses PGPASSWORD, ~/.pgpass and PGDATABASE.
      password: unescaped(url.password),
      database: unescaped(url.pathname.slice(1)) || user,
      application_name: 'deckhand',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ssl: false,
      ...timeouts,
      ...(options === undefined ? {} : { options }),
    },
    tls,
  };
}

function readUrl(connectionString: string): URL {
  if (!URL.canParse(connectionString)) throw unsuitable('the connection string is not a URL');
  const url = new URL(connectionString);
  if (/^postgres(ql)?:$/.test(url.protocol)) return url;
  throw unsuitable('the connection string has to begin with postgres:// or postgresql://');
}

function readParameters(found: URLSearchParams): ReadonlyMap<string, string> {
  const other = [...found.keys()].find((name) => !PARAMETERS.has(name));
  if (other === undefined) return new Map(found);
  const known = [...PARAMETERS].join(', ');
  throw unsuitable(`${other} is not a parameter that the connection string of a credential may have: ${known}`);
}

/**
 * `prefer`, `require` and `verify-ca` also verify the certificate, unless libpq's meaning is requested. Without any of
 * these, TLS is required outside private networks.
 */
function tlsOptions(
  parameters: ReadonlyMap<string, string>,
  { host, isPublic }: { host: string; isPublic: boolean },
): ConnectionOptions | undefined {
  const ssl = parameters.get('ssl') ?? 'false';
  if (!['true', '1', 'false', '0'].includes(ssl)) throw unsuitable('ssl is neither true nor false');
  const isAsked = ssl === 'true' || ssl === '1';
  const byDefault = isAsked || (isPublic && !parameters.has('ssl')) ? 'verify-full' : 'disable';
  const mode = parameters.get('sslmode') ?? byDefault;
  // The certificate belongs to the name, not to the address. RFC 6066, 3: an address is not a server name.
  const checked: ConnectionOptions = { host, ...(isIP(host) === 0 ? { servername: host } : {}) };
  const unchecked: ConnectionOptions = { ...checked, rejectUnauthorized: false };
  const isLibpq = parameters.get('uselibpqcompat') === 'true';
  switch (mode) {
    case 'disable':
      if (isPublic) throw unsuitable(`${host} is outside private networks, where the connection needs TLS`);
      return undefined;
    case 'no-verify':
      return unchecked;
    case 'prefer':
    case 'require':
      return isLibpq ? unchecked : checked;
    case 'verify-ca':
      if (isLibpq) throw unsuitable('sslmode verify-ca needs a file of its own; use verify-full');
      return checked;
    case 'verify-full':
      return checked;
    default:
      throw unsuitable('sslmode is not one of disable, no-verify, prefer, require, verify-ca and verify-full');
  }
}

/** Parameters of the session at its start. */
function startupParameters(parameters: ReadonlyMap<string, string>): ClientConfig {
  const milliseconds = (name: string): number | undefined => {
    const text = parameters.get(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,10}$/.test(text)) throw unsuitable(`${name} is not a number of milliseconds`);
    return Number(text);
  };
  const options = parameters.get('options');
  return {
    statement_timeout: milliseconds('statement_timeout'),
    lock_timeout: milliseconds('lock_timeout'),
    idle_in_transaction_session_timeout: milliseconds('idle_in_transaction_session_timeout'),
    ...(options === undefined ? {} : { options }),
  };
}

async function resolve(host: string, rules: AddressRules): Promise<string> {
  try {
    return await resolveHost(host, rules);
  } catch (error) {
    if (error instanceof NodeError) throw error;
    throw new NodeError('POSTGRES_UNREACHABLE', `${host} has no address`, { cause: error });
  }
}

/** A password may hold a plain percent sign. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function unsuitable(message: string): NodeError {
  return new NodeError('CREDENTIAL_UNSUITABLE', message, { isRetryable: false });
}
