import { SettingsError } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { readRedisUrl } from './redis-url.ts';

const NOBODY = { username: undefined, password: undefined };

describe('REDIS_URL', () => {
  it.each(['redis://localhost:6379', 'rediss://user:p%40ss@host:6380/3', 'redis://[::1]:6379'])(
    'names one server as %s',
    (url) => {
      expect(readRedisUrl(url)).toEqual({ kind: 'server', url });
    },
  );

  it('names sentinels, the master that they watch, its database and the credentials', () => {
    expect(
      readRedisUrl('rediss+sentinel://me:p%40%3Ass@a:1,[::1]:2,c/the%20master?db=3&sentinelPassword=other'),
    ).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 'a', port: 1 },
        { host: '::1', port: 2 },
        { host: 'c', port: 26_379 },
      ],
      masterName: 'the master',
      db: 3,
      login: { username: 'me', password: 'p@:ss' },
      sentinelLogin: { username: undefined, password: 'other' },
      hasTls: true,
    });
    expect(readRedisUrl('redis+sentinel://a/m')).toMatchObject({ db: 0, login: NOBODY, hasTls: false });
  });

  it('names the nodes of a cluster, and the credentials', () => {
    expect(readRedisUrl('redis+cluster://:secret@a:7000,b')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 7_000 },
        { host: 'b', port: 6_379 },
      ],
      login: { username: undefined, password: 'secret' },
      hasTls: false,
    });
  });

  it.each([
    ['another protocol', 'http://:hunter2@host', /must begin with redis:/],
    ['no host', 'redis://', /not a URL of one server/],
    ['a port that is none', 'redis://:hunter2@host:port', /not a URL of one server/],
    ['no name of a master', 'redis+sentinel://:hunter2@a:1,b:2', /lacks the name/],
    [
      'a parameter that is misspelt',
      'redis+sentinel://:hunter2@a/m?sentinelpassword=hunter2',
      /parameter that is not known/,
    ],
    ['a database that is not a number', 'redis+sentinel://:hunter2@a/m?db=first', /db that is not a number/],
    ['a database of a cluster', 'redis+cluster://:hunter2@a/1', /first one only/],
    ['a host that is empty', 'redis+cluster://:hunter2@a,,b', /host that cannot be read/],
    ['a port beyond all ports', 'redis+cluster://:hunter2@a:70000', /host that cannot be read/],
    ['a user without a password', 'redis+cluster://hunter2@a', /user without a password/],
    ['a password that is not encoded', 'redis+cluster://:hunter2%@a', /% that is not followed by the code/],
  ])('with %s is refused by its name, without what it holds', (_, url, message) => {
    const refusal = (): unknown => readRedisUrl(url);
    expect(refusal).toThrow(SettingsError);
    expect(refusal).toThrow(message);
    expect(refusal).toThrow(/^Bad settings: REDIS_URL /);
    expect(refusal).not.toThrow(/hunter2/);
  });
});
