import { withExplicitSslMode } from '@deckhand/contracts';
import { NodeError } from '@deckhand/engine';
import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { type AddressRules, resolveHost } from '../network/addresses.js';

/** Parameters of a connection string that name files of the machine the worker runs on. */
const FILE_PARAMETERS = ['sslcert', 'sslkey', 'sslrootcert', 'passfile', 'service', 'servicefile'];
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * How to reach the database of a connection string. Nothing comes from the worker's own environment or files, and a
 * socket of its machine counts as a private address.
 * @throws NodeError CREDENTIAL_UNSUITABLE, ADDRESS_REFUSED, POSTGRES_UNREACHABLE.
 */
export async function connectionConfig(connectionString: string, rules: AddressRules): Promise<ClientConfig> {
  const { searchParams } = readUrl(connectionString);
  const file = FILE_PARAMETERS.find((name) => searchParams.has(name));
  if (file !== undefined) throw unsuitable(`${file} names a file, which connection strings of credentials cannot`);
  const config = toClientConfig(parse(withExplicitSslMode(connectionString)));
  const { host, user, database } = config;
  if (!host || host.startsWith('/')) throw unsuitable('the connection string needs the name or address of a host');
  if (!user) throw unsuitable('the connection string needs a user');
  const address = await resolve(host, rules);
  return {
    ...config,
    host: address,
    // The certificate is the name's, not the address's.
    ...(config.ssl ? { ssl: { ...(config.ssl === true ? {} : config.ssl), host, servername: host } } : {}),
    // Without these, the driver asks PGPASSWORD, ~/.pgpass and PGDATABASE.
    password: config.password ?? '',
    database: database ?? user,
    application_name: 'deckhand',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

function readUrl(connectionString: string): URL {
  if (!URL.canParse(connectionString)) throw unsuitable('the connection string is no URL');
  return new URL(connectionString);
}

async function resolve(host: string, rules: AddressRules): Promise<string> {
  try {
    return await resolveHost(host, rules);
  } catch (error) {
    if (error instanceof NodeError) throw error;
    throw new NodeError('POSTGRES_UNREACHABLE', `${host} has no address`, { cause: error });
  }
}

function unsuitable(message: string): NodeError {
  return new NodeError('CREDENTIAL_UNSUITABLE', message, { isRetryable: false });
}
