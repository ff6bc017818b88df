import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { createPostgresClient, loadNodeTypes, type PooledPostgresClient } from '@deckhand/nodes';
import type { PostgresQuery } from '@deckhand/engine';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { NO_SERVICES, nodeContext } from '../../harness/node-context.ts';
import { createMemoryBudget } from '@deckhand/runtime';
import { createTestDatabase, stopAll, stopLater, until } from '../../harness/index.ts';

let connectionString: string;
let client: PooledPostgresClient;
const files = createMemoryFiles();
let own: pg.Client;

beforeAll(async () => {
  ({ url: connectionString } = await createTestDatabase());
  client = createPostgresClient({ allowPrivate: true });
  own = new pg.Client({ connectionString });
  await own.connect();
  await own.query('CREATE TABLE orders (id int PRIMARY KEY, note text)');
  stopLater({ stop: () => client.close() });
  stopLater({ stop: () => own.end() });
});
afterAll(stopAll);

const query = (text: string, values: readonly JsonValue[] = [], more: Partial<PostgresQuery> = {}) =>
  client.query({
    owner: 'workspace credential',
    connectionString,
    text,
    values,
    isReadOnly: false,
    maxRows: 1_000,
    signal: new AbortController().signal,
    readFile: (file) => Promise.resolve(files.bytesOf({ file })),
    ...more,
  });

const countOrders = async () => (await own.query('SELECT count(*)::int AS count FROM orders')).rows[0].count;

describe('a query', () => {
  it('answers rows as JSON that loses nothing', async () => {
    const { rows } =
      await query(`SELECT 1::int AS small, 9007199254740993::bigint AS big, 7::bigint AS exact, 1.10::numeric AS price,
      'NaN'::float8 AS nan, 0.5::float8 AS half, true AS yes, NULL::text AS nothing, '\\x00ff'::bytea AS bytes,
      '2026-03-29 02:30:00'::timestamp AS local, '2026-03-29T01:30:00Z'::timestamptz AS moment, '2026-03-29'::date AS day,
      'infinity'::timestamptz AS forever, '{"a":[1,9007199254740993]}'::jsonb AS json, '[1e999]'::json AS beyond, ARRAY[1,2] AS list, ARRAY['2026-03-29'::date] AS days,
      '1 day'::interval AS span, point(1,2) AS point`);
    expect(rows).toEqual([
      {
        small: 1,
        big: '9007199254740993',
        exact: 7,
        price: '1.10',
        nan: 'NaN',
        half: 0.5,
        yes: true,
        nothing: null,
        bytes: 'AP8=',
        local: '2026-03-29 02:30:00',
        moment: '2026-03-29T01:30:00.000Z',
        day: '2026-03-29',
        forever: 'infinity',
        json: { a: [1, '9007199254740993'] },
        beyond: ['1e999'],
        list: [1, 2],
        days: ['2026-03-29'],
        span: '1 day',
        point: '(1,2)',
      },
    ]);
    expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
  });

  it('answers each type of array as a list of what its elements are', async () => {
    await own.query(`
      CREATE TYPE mood AS ENUM ('sad', 'so so');
      CREATE TYPE pair AS (a int, b text);
      CREATE DOMAIN amount AS bigint;
      CREATE DOMAIN sum AS amount`);
    const { rows } = await query(`SELECT ARRAY[1.50, 2]::numeric[] AS exact, ARRAY['2026-01-05']::date[] AS days,
      ARRAY['2026-01-05 10:00:00.123456Z', NULL]::timestamptz[] AS moments, ARRAY['2026-01-05 10:00']::timestamp[] AS local,
      ARRAY['\\x00ff']::bytea[] AS bytes, ARRAY[7, 9007199254740993]::bigint[] AS big, ARRAY['so so', 'sad']::mood[] AS moods,
      ARRAY[]::mood[] AS none, ARRAY[ARRAY['sad'], ARRAY['sad']]::mood[] AS deep, 'sad'::mood AS mood, NULL::mood[] AS nothing,
      ARRAY[ROW(1, 'x, y')]::pair[] AS pairs, ARRAY[7]::sum[] AS sums, 7::sum AS sum, ARRAY[box '1,2,3,4', box '1,1,1,1'] AS boxes,
      ARRAY['1 day']::interval[] AS spans, ARRAY['{"a":[1]}']::jsonb[] AS json, ARRAY['{}', '[x'] AS texts,
      ARRAY['a'::name] AS names`);
    expect(rows).toEqual([
      {
        exact: ['1.50', '2'],
        days: ['2026-01-05'],
        moments: ['2026-01-05T10:00:00.123456Z', null],
        local: ['2026-01-05 10:00:00'],
        bytes: ['AP8='],
        big: [7, '9007199254740993'],
        moods: ['so so', 'sad'],
        none: [],
        deep: [['sad'], ['sad']],
        mood: 'sad',
        nothing: null,
        pairs: ['(1,"x, y")'],
        sums: [7],
        sum: 7,
        boxes: ['(3,4),(1,2)', '(1,1),(1,1)'],
        spans: ['1 day'],
        json: [{ a: [1] }],
        texts: ['{}', '[x'],
        names: ['a'],
      },
    ]);
  });

  it('answers times with a zone to the microsecond, so that a comparison with one does not find it again', async () => {
    const read = (text: string, more: Partial<PostgresQuery> = {}) => query(text, [], more);
    const { rows } = await read(`SELECT at FROM unnest(ARRAY[
      '2026-01-05 10:00:00.123456Z', '2026-01-05 10:00:00.1234Z', '2026-01-05 10:00:00.5Z', '1890-01-05 10:00:00Z',
      '0001-01-01 00:00:00Z', '0001-01-01 00:00:00Z BC', '12026-01-05 10:00:00Z', '-infinity']::timestamptz[]) AS at`);
    expect(rows.map(({ at }) => at)).toEqual([
      '2026-01-05T10:00:00.123456Z',
      '2026-01-05T10:00:00.123400Z',
      '2026-01-05T10:00:00.500Z',
      '1890-01-05T10:00:00.000Z',
      '0001-01-01T00:00:00.000Z',
      '0001-01-01 00:00:00+00 BC',
      '12026-01-05 10:00:00+00',
      '-infinity',
    ]);
    for (const [zone, style] of [
      ['Europe/Berlin', 'ISO'],
      ['Asia/Kolkata', 'ISO'],
      ['America/St_Johns', 'ISO'],
    ]) {
      const url = `${connectionString}?options=-c%20timezone%3D${zone}%20-c%20datestyle%3D${style}`;
      const times = `SELECT '1890-01-05 10:00:00.000001Z'::timestamptz AS old, '2026-07-05 10:00:00Z'::timestamptz AS new`;
      expect((await read(times, { connectionString: url })).rows).toEqual([
        { old: '1890-01-05T10:00:00.000001Z', new: '2026-07-05T10:00:00.000Z' },
      ]);
    }
    // The day before the month: only the server knows how to read it.
    const german = { connectionString: `${connectionString}?options=-c%20datestyle%3DGerman` };
    expect((await read(`SELECT '2026-05-01 10:00:00Z'::timestamptz AS at`, german)).rows).toEqual([
      { at: expect.stringMatching(/^01\.05\.2026 /) },
    ]);
    const later = await query('SELECT FROM (SELECT $1::timestamptz AS at) AS t WHERE at > $2::timestamptz', [
      '2026-01-05 10:00:00.123456Z',
      rows[0]?.at ?? null,
    ]);
    expect(later.rowCount).toBe(0);
  });

  it('answers bytes in base64, however the server writes them', async () => {
    const escaped = { connectionString: `${connectionString}?options=-c%20bytea_output%3Descape` };
    const bytes = `SELECT '\\x5c00ff41'::bytea AS bytes, ''::bytea AS none`;
    for (const more of [{}, escaped])
      expect((await query(bytes, [], more)).rows).toEqual([{ bytes: 'XAD/QQ==', none: '' }]);
  });

  it('takes files as bytes where the statement wants bytes, and as JSON elsewhere, and returns bytes as files', async () => {
    const bytes = Buffer.alloc(3_000_000, 'a\0\\', 'latin1');
    const scan = await files.save([bytes], { name: 'scan.pdf' });
    const run = async (parameters: JsonObject) => {
      const type = (await loadNodeTypes()).get('postgres');
      const services = { ...NO_SERVICES, postgres: client };
      const credential = () => Promise.resolve({ type: 'postgres', secret: { connectionString } } as const);
      const outcome = await type?.run(parameters, nodeContext({ services, credential, files }));
      return outcome?.kind === 'output' && isJsonObject(outcome.output) ? outcome.output.rows : undefined;
    };
    const both = 'SELECT $1::bytea AS scan, length($1::bytea) AS length, $2::jsonb AS about, NULL::bytea AS none';
    const values = [scan, scan];
    expect(await run({ query: both, values })).toEqual([
      { scan: bytes.toString('base64'), length: bytes.length, about: scan, none: null },
    ]);
    // More than a result may have otherwise.
    const many = `SELECT n, $1::bytea AS scan, ARRAY['\\x00'::bytea] AS list FROM generate_series(1, 5) AS n`;
    const found = { file: { ...scan.file, name: 'scan', contentType: 'application/octet-stream' } };
    const rows = Array.from({ length: 5 }, (_, n) => ({ n: n + 1, scan: found, list: ['AA=='] }));
    expect(await run({ query: many, values: [scan.file], bytes: 'file' })).toEqual(rows);
    const large = await files.save([Buffer.alloc(33_554_433)], { name: 'large' });
    await expect(run({ query: 'SELECT $1::bytea', values: [large] })).rejects.toMatchObject({ code: 'FILE_LIMIT' });
  });

  it('counts files towards the memory of the process as it reads them', async () => {
    const limited = createPostgresClient({ allowPrivate: true, memory: createMemoryBudget(1_000_000) });
    stopLater({ stop: () => limited.close() });
    const file = await files.save([Buffer.alloc(400_000)], { name: 'scan' });
    let read = 0;
    const refused = limited.query({
      owner: 'workspace credential',
      connectionString,
      text: 'SELECT length($1::bytea || $2::bytea || $3::bytea)',
      values: [file, file, file],
      isReadOnly: true,
      maxRows: 1,
      signal: new AbortController().signal,
      readFile(found) {
        read += 1;
        return Promise.resolve(files.bytesOf({ file: found }));
      },
    });
    await expect(refused).rejects.toMatchObject({ code: 'MEMORY_EXCEEDED' });
    expect(read).toBe(2);
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['SELECT $1::jsonb AS value', [], []],
    ['SELECT $1::json AS value', ['a', { b: [1] }, null], ['a', { b: [1] }, null]],
    ['SELECT $1::jsonb AS value', [[1], []], [[1], []]],
    ['INSERT INTO lists VALUES ($1) RETURNING tags AS value', ['a'], ['a']],
    ['SELECT $1::document AS value', ['a'], ['a']],
    ['SELECT $1::jsonb[] AS value', [[1, 2], { a: 1 }, null, 3], [[1, 2], { a: 1 }, null, 3]],
    ['SELECT $1::int[] AS value', [], []],
    [
      'SELECT $1::int[] AS value',
      [
        [1, 2],
        [3, null],
      ],
      [
        [1, 2],
        [3, null],
      ],
    ],
    ['SELECT $1::text[] AS value', ['NULL', '', 'a"b', '{', null], ['NULL', '', 'a"b', '{', null]],
    ['SELECT $1::feeling[] AS value', ['so, so'], ['so, so']],
    ['SELECT $1::feelings AS value', ['so, so'], ['so, so']],
    ['SELECT 1 AS value WHERE 2 = ANY($1)', [1, 2], 1],
    ['SELECT $1::text AS value', [1, 'a'], '[1,"a"]'],
    ['SELECT $1::jsonb || $2 AS value', ['a'], ['a', 'second']],
  ])('%s takes %j as %j', async (text, value, expected) => {
    await own.query(`
      CREATE TABLE IF NOT EXISTS lists (tags jsonb);
      DROP DOMAIN IF EXISTS document, feelings; DROP TYPE IF EXISTS feeling;
      CREATE DOMAIN document AS jsonb; CREATE TYPE feeling AS ENUM ('so, so'); CREATE DOMAIN feelings AS feeling[]`);
    const values = text.includes('$2') ? [value, ['second']] : [value];
    expect(await query(text, values)).toEqual({ rows: [{ value: expected }], rowCount: 1 });
  });

  it('says of a wrong statement with a list what it says of others', async () => {
    const wrong = query('SELECT nothing FROM orders WHERE id = ANY($1)', [[1]]);
    await expect(wrong).rejects.toMatchObject({
      code: 'POSTGRES_FAILED',
      message: '42703: column "nothing" does not exist; at character 8',
      isRetryable: false,
    });
    const two = query('SELECT $1::jsonb; SELECT 2', [[]]);
    await expect(two).rejects.toMatchObject({ message: expect.stringContaining('42601') });
    const few = query('SELECT $1::jsonb, $2::int', [[]]);
    await expect(few).rejects.toMatchObject({ message: expect.stringContaining('08P01') });
  });

  it('takes values as values, be they written like SQL', async () => {
    const hostile = `'); DROP TABLE orders; --`;
    const inserted = await query('INSERT INTO orders VALUES ($1, $2) RETURNING id, note', [1, hostile]);
    expect(inserted).toEqual({ rows: [{ id: 1, note: hostile }], rowCount: 1 });
    expect(await query('UPDATE orders SET note = $1', ['x'])).toEqual({ rows: [], rowCount: 1 });
    const types = await query('SELECT $1::int[] AS list, $2::jsonb AS json, $3::text AS none', [
      [1, 2],
      { a: 1 },
      null,
    ]);
    expect(types.rows).toEqual([{ list: [1, 2], json: { a: 1 }, none: null }]);
  });

  it('reads any number of rows up to its bound, and undoes what goes beyond', async () => {
    const many = 'SELECT n FROM generate_series(1, $1::int) AS n';
    expect((await query(many, [1_000])).rows).toHaveLength(1_000);
    await expect(query(many, [1_001])).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE', isRetryable: false });
    const before = await countOrders();
    const insert = 'INSERT INTO orders SELECT n FROM generate_series(100, 200) AS n RETURNING id';
    await expect(query(insert, [], { maxRows: 5 })).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
    const wide = `INSERT INTO orders SELECT n FROM generate_series(300, 302) AS n RETURNING repeat('x', 5000000)`;
    await expect(query(wide)).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect(await countOrders()).toBe(before);
  });

  it('is one statement, and changes nothing where it only reads', async () => {
    const two = query('SELECT 1; SELECT 2');
    await expect(two).rejects.toMatchObject({ code: 'POSTGRES_FAILED', message: expect.stringContaining('42601') });
    const change = query('DELETE FROM orders', [], { isReadOnly: true });
    await expect(change).rejects.toMatchObject({ code: 'POSTGRES_FAILED', message: expect.stringContaining('25006') });
    await query('INSERT INTO orders VALUES (50)');
    // A transaction of its own: it does not end early, and does not stay open.
    await expect(query('COMMIT')).resolves.toEqual({ rows: [], rowCount: 0 });
    expect((await query("SELECT current_setting('transaction_read_only') AS only")).rows).toEqual([{ only: 'off' }]);
  });

  it('says what the server said, with its place, and what may be tried again', async () => {
    const wrong = query('SELECT nothing FROM orders');
    await expect(wrong).rejects.toMatchObject({
      code: 'POSTGRES_FAILED',
      message: expect.stringMatching(/^42703: column "nothing" does not exist; at character 8$/),
      isRetryable: false,
    });
    const deadlock = query(`DO $$ BEGIN RAISE EXCEPTION 'busy' USING ERRCODE = '40P01'; END $$`);
    await expect(deadlock).rejects.toMatchObject({ code: 'POSTGRES_FAILED', isRetryable: true });
    await expect(query('SELECT $1::int', ['many'])).rejects.toMatchObject({ code: 'POSTGRES_FAILED' });
    expect((await query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('ends at the server, too, once it is aborted', async () => {
    const abort = new AbortController();
    const running = query(`SELECT pg_sleep(600), 'aborted-query'`, [], { signal: abort.signal });
    const find = `SELECT pid FROM pg_stat_activity WHERE query LIKE '%aborted-query%' AND state = 'active' AND pid <> pg_backend_pid()`;
    await until(async () => (await own.query(find)).rowCount === 1, 'the query');
    abort.abort();
    await expect(running).rejects.toThrow();
    await until(async () => (await own.query(find)).rowCount === 0, 'the end of the query');
  });

  it('shares a few connections among many', async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, n) => query('SELECT $1::int AS n, pg_backend_pid() AS pid', [n])),
    );
    expect(all.map(({ rows }) => rows[0]?.n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    expect(new Set(all.map(({ rows }) => rows[0]?.pid)).size).toBeLessThanOrEqual(5);
  });

  it('continues after the server closed its connections', async () => {
    const { rows } = await query('SELECT pg_backend_pid() AS pid');
    await own.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await until(
      async () => (await query('SELECT 1 AS one').catch(() => undefined))?.rows[0]?.one === 1,
      'a new connection',
    );
  });
});

describe('the session of a query', () => {
  const backend = async (more: Partial<PostgresQuery> = {}) =>
    (await query('SELECT pg_backend_pid() AS pid', [], more)).rows[0]?.pid;

  /** Asks over all connections at once. */
  const everywhere = async (text: string) => {
    const all = await Promise.all(Array.from({ length: 30 }, () => query(text)));
    return new Set(all.map(({ rows }) => rows[0]?.v));
  };

  it.each([
    ['a temporary table', "CREATE TEMP TABLE leak AS SELECT 'secret' AS note", "SELECT to_regclass('leak')::text AS v"],
    ['a time zone', "SET timezone = 'America/New_York'", "SELECT current_setting('timezone') AS v"],
    ['a search path', 'SET search_path = pg_catalog', "SELECT current_setting('search_path') AS v"],
    ['a role', 'SET ROLE pg_monitor', 'SELECT current_user::text AS v'],
    ['a user', 'SET SESSION AUTHORIZATION pg_monitor', 'SELECT session_user::text AS v'],
    ['a time limit', "SET statement_timeout = '1h'", "SELECT current_setting('statement_timeout') AS v"],
    [
      'transactions that only read',
      'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
      "SELECT current_setting('default_transaction_read_only') AS v",
    ],
    [
      'a setting of its own',
      "SELECT set_config('app.user', 'ada', false)",
      "SELECT coalesce(current_setting('app.user', true), '') AS v",
    ],
    [
      'a lock',
      'SELECT pg_advisory_lock(17)',
      "SELECT count(*) AS v FROM pg_locks WHERE locktype = 'advisory' AND objid = 17 AND pid = pg_backend_pid()",
    ],
    ['a subscription', 'LISTEN news', 'SELECT count(*) AS v FROM pg_listening_channels()'],
    ['a prepared statement', 'PREPARE kept AS SELECT 1', 'SELECT count(*) AS v FROM pg_prepared_statements'],
    [
      'a cursor',
      'DECLARE kept CURSOR WITH HOLD FOR SELECT 1',
      "SELECT count(*) AS v FROM pg_cursors WHERE name = 'kept'",
    ],
  ])('keeps nothing for a later one: %s', async (_what, statement, read) => {
    const before = await everywhere(read);
    expect(before.size).toBe(1);
    await query(statement);
    expect(await everywhere(read)).toEqual(before);
  });

  it('keeps nothing of a query that only reads either', async () => {
    await query("SET timezone = 'Asia/Tokyo'", [], { isReadOnly: true });
    expect(await everywhere("SELECT current_setting('timezone') AS v")).not.toContain('Asia/Tokyo');
  });

  it('starts with what the connection string says, again and again', async () => {
    const url = `${connectionString}?statement_timeout=12345&options=-c%20timezone%3DAsia/Tokyo`;
    const read = "SELECT current_setting('statement_timeout') || ' ' || current_setting('timezone') AS v";
    for (let n = 0; n < 5; n += 1) {
      expect((await query(read, [], { connectionString: url })).rows).toEqual([{ v: '12345ms Asia/Tokyo' }]);
      await query('SET statement_timeout = 0', [], { connectionString: url });
    }
  });

  it('belongs to one workspace and credential', async () => {
    const owners = ['one a', 'one b', 'two a'];
    const pids = await Promise.all(owners.map(async (owner) => [await backend({ owner }), await backend({ owner })]));
    expect(new Set(pids.map((of) => of[0])).size).toBe(owners.length);
    const shared = pids[0]?.filter((pid) => [...(pids[1] ?? []), ...(pids[2] ?? [])].includes(pid));
    expect(shared).toEqual([]);
  });
});

describe('a connection string', () => {
  const at = (text: string) => query('SELECT 1', [], { connectionString: text });

  it.each([
    ['postgres://ada@db.example/x?sslrootcert=/etc/passwd', 'CREDENTIAL_UNSUITABLE'],
    ['postgres://ada@db.example/x?sslkey=/etc/passwd&sslcert=/etc/passwd', 'CREDENTIAL_UNSUITABLE'],
    ['postgres://ada@/x?host=/var/run/postgresql', 'CREDENTIAL_UNSUITABLE'],
    ['postgres:///x', 'CREDENTIAL_UNSUITABLE'],
    ['postgres://db.example/x', 'CREDENTIAL_UNSUITABLE'],
    ['postgres://ada:x@127.0.0.1:1/x', 'POSTGRES_UNREACHABLE'],
    ['postgres://ada:x@no-such-host.invalid/x', 'POSTGRES_UNREACHABLE'],
  ])('%s is refused: %s', async (text, code) => {
    await expect(at(text)).rejects.toMatchObject({ code });
  });

  it('leads to public addresses only, unless private ones are allowed', async () => {
    const strict = createPostgresClient({ allowPrivate: false });
    stopLater({ stop: () => strict.close() });
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '10.0.0.1']) {
      const refused = strict.query({
        owner: 'workspace credential',
        connectionString: `postgres://ada:x@${host}/x`,
        text: 'SELECT 1',
        values: [],
        isReadOnly: true,
        maxRows: 1,
        signal: new AbortController().signal,
        readFile: () => Promise.reject(new Error('there are no files')),
      });
      await expect(refused).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
    }
  });

  it('with a wrong password says so without the password', async () => {
    const url = new URL(connectionString);
    url.password = 'wrong-password';
    // The test server may trust this machine: then a wrong user shows the failure.
    url.username = 'nobody-of-this-name';
    const error: unknown = await at(url.href).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'POSTGRES_FAILED', isRetryable: false });
    expect(String(error)).not.toContain('wrong-password');
  });
});

it('a node without its credential says which it needs', async () => {
  const type = (await loadNodeTypes()).get('postgres');
  const running = Promise.resolve(type?.run({ query: 'SELECT 1' }, nodeContext({ services: NO_SERVICES })));
  await expect(running).rejects.toMatchObject({ code: 'CREDENTIAL_UNSUITABLE' });
});
