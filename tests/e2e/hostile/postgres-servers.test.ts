import { createPostgresClient, type PooledPostgresClient } from '@deckhand/nodes';
import type { PostgresQuery } from '@deckhand/engine';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import {
  BEGUN,
  described,
  fakePostgres,
  type FakeAnswers,
  frame,
  HONEST,
  int16,
  int32,
  LOGGED_IN,
  READY,
  row,
  rowDescription,
  writeForever,
} from '../../harness/fake-postgres.ts';
import { createCertificate, startSecuredPostgres } from '../../harness/secured-stores.ts';
import { stopAll, stopLater, until } from '../../harness/index.ts';

const TEXT = 25;
const TEXT_ARRAY = 1009;
const JSON_TYPE = 114;

const client: PooledPostgresClient = createPostgresClient({ allowPrivate: true });
stopLater({ stop: () => client.close() });
afterAll(stopAll);

const query = (connectionString: string, more: Partial<PostgresQuery> = {}) =>
  client.query({
    owner: 'workspace credential',
    connectionString,
    text: 'SELECT 1',
    values: [],
    isReadOnly: false,
    maxRows: 1_000,
    signal: AbortSignal.timeout(60_000),
    readFile: () => Promise.reject(new Error('there are no files')),
    ...more,
  });

const send =
  (...parts: Buffer[]) =>
  (socket: { write(bytes: Buffer): unknown }): void =>
    void socket.write(Buffer.concat(parts));

const error = (message: string): Buffer => frame('E', `SERROR\0CXX000\0M${message}\0\0`);

const beginOnly: FakeAnswers['simple'] = (socket, sql) => {
  if (sql.startsWith('BEGIN')) socket.write(BEGUN);
};

const MANY_NAMES = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`n${n}`, 1]));

/** What a server can send before the client has enough of it, in bytes. */
const MAX_BYTES_SENT = 40_000_000;

const INVALID = 'POSTGRES_RESPONSE_INVALID';

/** What a server does at a certain point, and the resulting error code. */
const ATTACKS: readonly [string, FakeAnswers, string][] = [
  ['a way to log in that nobody knows', { login: send(frame('R', int32(99))) }, INVALID],
  [
    'a second half of a login without the first',
    { login: send(frame('R', Buffer.concat([int32(11), Buffer.from('r=x')]))) },
    'POSTGRES_UNREACHABLE',
  ],
  [
    'no way to log in',
    { login: send(frame('R', Buffer.concat([int32(10), Buffer.from('\0')]))) },
    'POSTGRES_UNREACHABLE',
  ],
  ['an endless login', { login: (socket) => writeForever(socket, frame('S', 'a\0b\0')) }, 'RESULT_TOO_LARGE'],
  ['rows before anybody asks', { login: send(LOGGED_IN, row('x'), row('y')) }, INVALID],
  ['an error in place of a login', { login: send(error('no')) }, 'POSTGRES_FAILED'],
  ['HTTP', { login: send(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')) }, 'POSTGRES_FAILED'],
  ['two errors at once', { simple: send(error('one'), error('two')) }, 'POSTGRES_FAILED'],
  ['an error of a megabyte', { simple: send(error('x'.repeat(1_000_000))) }, 'POSTGRES_FAILED'],
  ['no process id', { simple: send(frame('C', 'BEGIN\0'), READY) }, INVALID],
  ['endless notices', { simple: (socket) => writeForever(socket, frame('N', 'Mhello\0\0')) }, 'RESULT_TOO_LARGE'],
  [
    'rows for ever, in portions',
    { simple: (socket) => writeForever(socket, Buffer.concat([rowDescription(TEXT), row('x'), frame('s')])) },
    INVALID,
  ],
  [
    'a message without an end',
    { execute: send(frame('D', Buffer.concat([int16(1), int32(1)]), 0x7fff_ffff)) },
    'RESULT_TOO_LARGE',
  ],
  ['a notice without an end', { execute: send(frame('N', 'M', 0xffff_ffff)) }, INVALID],
  ['a message of no bytes', { execute: send(frame('D', '', 0)) }, INVALID],
  ['a message of an unknown type', { execute: send(frame('y', 'x')) }, INVALID],
  [
    'more values than a row has',
    { execute: send(frame('D', Buffer.concat([int16(9), int32(1), Buffer.from('x')]))) },
    INVALID,
  ],
  [
    'more values than its description',
    { execute: send(frame('D', Buffer.concat([int16(2), int32(0), int32(0)]))) },
    INVALID,
  ],
  ['fewer than no values', { execute: send(frame('D', int16(-2))) }, INVALID],
  ['20,000 columns', { describe: send(frame('1'), frame('2'), frame('T', int16(20_000))) }, INVALID],
  ['rows that nobody described', { describe: send(frame('1'), frame('2'), row('x')) }, INVALID],
  ['endless rows', { execute: (socket) => writeForever(socket, row('x')) }, INVALID],
  ['endless large rows', { execute: (socket) => writeForever(socket, row('x'.repeat(100_000))) }, 'RESULT_TOO_LARGE'],
  ['a row of 30 MB', { execute: (socket) => writeForever(socket, row('x'.repeat(30_000_000))) }, 'RESULT_TOO_LARGE'],
  ['COPY in', { execute: send(frame('G', Buffer.concat([Buffer.from([0]), int16(0)]))) }, 'POSTGRES_FAILED'],
  ['COPY out', { execute: send(frame('d', 'data')) }, 'POSTGRES_FAILED'],
  ['a list that does not end', { describe: send(described(TEXT_ARRAY)), execute: send(row('{"a}')) }, INVALID],
  [
    'a list of too many dimensions',
    { describe: send(described(TEXT_ARRAY)), execute: send(row('{'.repeat(100_000))) },
    INVALID,
  ],
  ['JSON that is none', { describe: send(described(JSON_TYPE)), execute: send(row('{')) }, INVALID],
  [
    'JSON of too many names',
    { describe: send(described(JSON_TYPE)), execute: send(row(JSON.stringify(MANY_NAMES))) },
    'RESULT_TOO_LARGE',
  ],
  [
    'JSON that nests too deeply',
    { describe: send(described(JSON_TYPE)), execute: send(row('['.repeat(1_000_000))) },
    INVALID,
  ],
  ['readiness in place of rows, then rows', { execute: send(READY, row('x'), row('y')) }, 'POSTGRES_UNREACHABLE'],
  [
    'an error after its end',
    { execute: send(row('x'), frame('C', 'SELECT 1\0'), READY, error('late')) },
    'POSTGRES_UNREACHABLE',
  ],
  ['a closed connection', { execute: (socket) => void socket.end() }, 'POSTGRES_UNREACHABLE'],
  ['a reset connection', { execute: (socket) => void socket.resetAndDestroy() }, 'POSTGRES_UNREACHABLE'],
];

describe('a server that sends', () => {
  it.each(ATTACKS)('%s fails the query, and nothing else', async (_what, answers, code) => {
    const { url, connections, bytesSent } = await fakePostgres({ ...HONEST, ...answers });
    const failure: unknown = await query(url).catch((caught: unknown) => caught);
    expect(failure).toMatchObject({ code });
    expect(String(failure).length).toBeLessThan(3_000);
    // What the client does not read, the server cannot send: some megabytes are in buffers of the system.
    expect(bytesSent()).toBeLessThan(MAX_BYTES_SENT);
    await until(() => connections() === 0, 'the end of the connection');
    const honest = await fakePostgres(HONEST);
    expect(await query(honest.url)).toMatchObject({ rows: [{ value: 'hello' }] });
  });

  it.each<[string, FakeAnswers]>([
    ['a transaction', { simple: () => undefined }],
    ['a description', { describe: () => undefined, execute: () => undefined }],
    ['rows', { execute: () => undefined }],
    ['the end of a transaction', { simple: beginOnly }],
  ])('nothing in place of %s is left once the node is aborted', async (_what, answers) => {
    const { url, connections } = await fakePostgres({ ...HONEST, ...answers });
    const abort = new AbortController();
    const running = query(url, { signal: abort.signal });
    await until(() => connections() === 1, 'the connection');
    setTimeout(() => abort.abort(new Error('stopped')), 50);
    await expect(running).rejects.toThrow('stopped');
    // Cancelling the statement has a limit of its own.
    await until(() => connections() === 0, 'the end of the connections');
  });

  it.each<[string, (socket: Socket) => void]>([
    ['an error', send(error('no'), READY)],
    ['rows that nobody asked for', send(rowDescription(TEXT), row('x'), frame('C', 'SELECT 1\0'), READY)],
    ['nothing', () => undefined],
  ])('%s in place of a reset of its session gets no further query on that connection', async (_what, reset) => {
    const { url, connections } = await fakePostgres({
      ...HONEST,
      simple: (socket, sql) => (sql === 'DISCARD ALL' ? reset(socket) : HONEST.simple(socket, sql)),
    });
    expect(await query(url)).toMatchObject({ rows: [{ value: 'hello' }] });
    await until(() => connections() === 0, 'the end of the connection');
    expect(await query(url)).toMatchObject({ rows: [{ value: 'hello' }] });
  });

  it('values that are shorter than they say is read no further than its message', async () => {
    const lying = [1_000_000, -7].map((length) =>
      frame('D', Buffer.concat([int16(1), int32(length), Buffer.from('x')])),
    );
    const end = [frame('C', 'SELECT 2\0'), frame('Z', 'T')];
    const { url } = await fakePostgres({ ...HONEST, execute: send(...lying, ...end) });
    const { rows } = await query(url);
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows).length).toBeLessThan(200);
  });

  it('nonsense of the types that it has itself is read as text', async () => {
    const { url } = await fakePostgres({
      ...HONEST,
      describe: send(described(20_000)),
      execute: send(row('{a}'), frame('C', 'SELECT 1\0'), frame('Z', 'T')),
    });
    expect((await query(url)).rows).toEqual([{ value: '{a}' }]);
  });

  it('values as texts that take quadratic time to look through is read in linear time', async () => {
    const elements = Array.from({ length: 200_000 }, () => '"a b"').join(',');
    const { url } = await fakePostgres({
      ...HONEST,
      describe: send(described(TEXT_ARRAY)),
      execute: send(row(`{${elements}}`), frame('C', 'SELECT 1\0'), frame('Z', 'T')),
    });
    const { rows } = await query(url);
    expect(rows[0]?.value).toHaveLength(200_000);
  });
});

describe('a connection string', () => {
  it.each([
    'verify=1',
    'stream=x',
    'connection=x',
    'Client=x',
    'Promise=x',
    'types=x',
    'onConnect=x',
    'log=x',
    'host=/var/run/postgresql',
    'sslrootcert=/etc/passwd',
    'service=x',
    'replication=database',
    'sslmode=sometimes',
    'ssl=maybe',
    'lock_timeout=soon',
    'sslmode=verify-ca&uselibpqcompat=true',
  ])('cannot reach options of the driver or files by %s', async (parameters) => {
    const { url } = await fakePostgres({ login: send(error('no')) });
    await expect(query(`${url}?${parameters}`)).rejects.toMatchObject({ code: 'CREDENTIAL_UNSUITABLE' });
    await expect(query(`${url}?${parameters}`)).rejects.toMatchObject({ isRetryable: false });
  });

  it('may have the parameters of a session', async () => {
    const { url } = await fakePostgres(HONEST);
    const parameters = 'options=-c%20search_path%3Dx&statement_timeout=1000&application_name=x&sslmode=disable';
    expect(await query(`${url}?${parameters}`)).toMatchObject({ rows: [{ value: 'hello' }] });
  });

  it('is answered over TLS, by a server whose certificate is checked', async () => {
    const url = await startSecuredPostgres(await createCertificate());
    const own = query(`${url}?sslmode=require`);
    await expect(own).rejects.toMatchObject({
      code: 'POSTGRES_UNREACHABLE',
      message: expect.stringContaining('certificate'),
    });
    expect((await query(`${url}?sslmode=no-verify`, { text: 'SELECT 1 AS one' })).rows).toEqual([{ one: 1 }]);
  });

  it('that asks for TLS is refused by a server without', async () => {
    const { url } = await fakePostgres({ login: (socket) => void socket.write('N') });
    for (const mode of ['require', 'verify-full', 'no-verify']) {
      await expect(query(`${url}?sslmode=${mode}`)).rejects.toMatchObject({ code: 'POSTGRES_UNREACHABLE' });
    }
  });
});
