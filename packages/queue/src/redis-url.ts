import { SettingsError } from '@deckhand/runtime';

/** One of several servers. */
export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** The credentials of a connection. */
export interface RedisLogin {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** The servers that a Redis URL names. */
export type RedisTarget =
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisHost[];
      /** What the sentinels call the group of servers. */
      readonly masterName: string;
      readonly db: number;
      readonly login: RedisLogin;
      /** The credentials for the sentinels themselves. */
      readonly sentinelLogin: RedisLogin;
      readonly hasTls: boolean;
    }
  | {
      readonly kind: 'cluster';
      readonly nodes: readonly RedisHost[];
      readonly login: RedisLogin;
      readonly hasTls: boolean;
    };

const FORM = /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:(.*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;
const SENTINEL_PORT = 26_379;
const NODE_PORT = 6_379;
const SENTINEL_PARAMETERS = ['db', 'sentinelUsername', 'sentinelPassword'];

/**
 * Reads `redis://`, `redis+sentinel://` or `redis+cluster://`, each also as `rediss`, with TLS (docs/operations.md has
 * the forms).
 * @throws SettingsError naming REDIS_URL and what is wrong with it. Never the URL itself, for it may hold a password.
 */
export function readRedisUrl(url: string): RedisTarget {
  const [, scheme, given, userinfo, hosts = '', path = '', query = ''] = FORM.exec(url) ?? [];
  if (scheme === undefined) {
    throw bad(
      'must begin with redis://, redis+sentinel:// or redis+cluster://, or the same with rediss, and name a host',
    );
  }
  const hasTls = scheme === 'rediss';
  if (given === undefined) {
    if (!URL.canParse(url) || hosts === '') throw bad('is not a URL of one server, such as redis://host:6379');
    return { kind: 'server', url };
  }
  const login = readLogin(userinfo);
  const parameters = new URLSearchParams(query);
  if (given === 'cluster') {
    if (path !== '' && path !== '0') throw bad('names a database, and a cluster has the first one only');
    if (parameters.size > 0) throw bad('has parameters, and a cluster has none');
    return { kind: 'cluster', nodes: readHosts(hosts, NODE_PORT), login, hasTls };
  }
  if ([...parameters.keys()].some((name) => !SENTINEL_PARAMETERS.includes(name))) {
    throw bad(`has a parameter that is not known: there are ${SENTINEL_PARAMETERS.join(', ')}`);
  }
  const masterName = decode(path);
  if (masterName === '' || masterName.includes('/')) {
    throw bad('lacks the name that the sentinels give to the master, as in redis+sentinel://host:26379/mymaster');
  }
  const db = parameters.get('db') ?? '0';
  if (!/^\d{1,5}$/.test(db)) throw bad('has a db that is not a number');
  const sentinelLogin = {
    username: parameters.get('sentinelUsername') ?? undefined,
    password: parameters.get('sentinelPassword') ?? undefined,
  };
  const sentinels = readHosts(hosts, SENTINEL_PORT);
  return { kind: 'sentinel', sentinels, masterName, db: Number(db), login, sentinelLogin, hasTls };
}

function readLogin(userinfo: string | undefined): RedisLogin {
  if (userinfo === undefined) return { username: undefined, password: undefined };
  const colon = userinfo.indexOf(':');
  // Without a colon it would be a name without a password, which logs nobody in.
  if (colon === -1) throw bad('has a user without a password: write :password@ for one without a name');
  const username = decode(userinfo.slice(0, colon));
  return { username: username === '' ? undefined : username, password: decode(userinfo.slice(colon + 1)) };
}

function readHosts(text: string, defaultPort: number): RedisHost[] {
  return text.split(',').map((entry) => {
    const [, host, port] = HOST.exec(entry) ?? [];
    const number = port === undefined ? defaultPort : Number(port);
    if (host === undefined || number < 1 || number > 65_535) {
      throw bad('has a host that cannot be read: write them as host:port, with commas between');
    }
    return { host: host.replace(/^\[|\]$/g, ''), port: number };
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad('has a % that is not followed by the code of a character');
  }
}

function bad(problem: string): SettingsError {
  return new SettingsError(`Bad settings: REDIS_URL ${problem}`);
}
