import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  createTestDatabase,
  type Fault,
  type PostgresProxy,
  startPostgresProxy,
  stopAll,
  until,
} from '../../harness/index.ts';

let direct: pg.Client;
let proxy: PostgresProxy;
let client: pg.Client;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  direct = new pg.Client({ connectionString: url });
  await direct.connect();
  await direct.query('CREATE TABLE written (n int)');
  proxy = await startPostgresProxy(url);
});
beforeEach(async () => {
  proxy.inject(undefined);
  await direct.query('TRUNCATE written');
  client = new pg.Client({ connectionString: proxy.url });
  client.on('error', () => undefined);
  await client.connect();
});
afterAll(async () => {
  await direct.end();
  await stopAll();
});

const INSERT = '/* test.insert */ INSERT INTO written VALUES ($1)';
const insert = (n: number) => client.query({ name: 'insert', text: INSERT, values: [n] });
const count = async () => (await direct.query('SELECT * FROM written')).rowCount;

/** Makes the next statement with this name fail once. */
function injectOnce(name: string, fault: Fault): void {
  let isMet = false;
  proxy.inject((statement) => {
    if (isMet || statement.name !== name) return undefined;
    isMet = true;
    return fault;
  });
}

describe('a proxy that injects faults into statements', () => {
  it('before: the statement is not executed, the client gets the SQLSTATE, and the session continues', async () => {
    injectOnce('test.insert', { kind: 'before', sqlstate: '25006' });
    await expect(insert(1)).rejects.toMatchObject({ code: '25006' });
    expect(await count()).toBe(0);
    await insert(2);
    expect(await count()).toBe(1);
  });

  it('after: the statement is committed, and the client gets the SQLSTATE, also of one that was prepared before', async () => {
    await insert(1);
    injectOnce('test.insert', { kind: 'after', sqlstate: '40001' });
    await expect(insert(2)).rejects.toMatchObject({ code: '40001' });
    await insert(3);
    expect(await count()).toBe(3);
  });

  it.each(['57P01', 'cut'])('after, with %s: the statement is committed, and the session ends', async (sqlstate) => {
    injectOnce('test.insert', { kind: 'after', sqlstate });
    await expect(insert(1)).rejects.toThrow();
    expect(await count()).toBe(1);
    await expect(insert(2)).rejects.toThrow();
  });

  it('in a transaction, before: the transaction is aborted', async () => {
    await client.query('BEGIN');
    await insert(1);
    injectOnce('test.insert', { kind: 'before', sqlstate: '40P01' });
    await expect(insert(2)).rejects.toMatchObject({ code: '40P01' });
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    await client.query('ROLLBACK');
    expect(await count()).toBe(0);
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('a commit that fails %s it landed leaves %d rows', async (kind, rows) => {
    await client.query('BEGIN');
    await insert(1);
    injectOnce('commit after test.insert', { kind, sqlstate: '40001' });
    await expect(client.query('COMMIT')).rejects.toMatchObject({ code: '40001' });
    expect(await count()).toBe(rows);
    await insert(2);
    expect(await count()).toBe(rows + 1);
  });

  it('late: the client is cut off, and the statement is executed after that', async () => {
    // Holds the statement back, however long the test takes.
    await direct.query('BEGIN; LOCK TABLE written IN EXCLUSIVE MODE');
    injectOnce('test.insert', { kind: 'late', ms: 20 });
    await expect(insert(1)).rejects.toThrow();
    expect(await count()).toBe(0);
    await direct.query('COMMIT');
    await until(async () => (await count()) === 1, 'the late statement');
  });

  it('slow: the statement is executed later', async () => {
    injectOnce('test.insert', { kind: 'slow', ms: 1_000 });
    const inserted = insert(1);
    expect(await count()).toBe(0);
    await inserted;
    expect(await count()).toBe(1);
  });

  it('cancelled: the server itself reports 57014', async () => {
    injectOnce('test.insert', { kind: 'cancelled' });
    await expect(insert(1)).rejects.toMatchObject({ code: '57014', message: expect.stringContaining('user request') });
    expect(await count()).toBe(0);
  });

  it('a session that cannot be opened', async () => {
    injectOnce('connect', { kind: 'before', sqlstate: '53300' });
    const refused = new pg.Client({ connectionString: proxy.url });
    refused.on('error', () => undefined);
    await expect(refused.connect()).rejects.toMatchObject({ code: '53300' });
  });

  it('names statements by their comment, or by what they do', async () => {
    await client.query('UPDATE written SET n = 2 WHERE n = $1', [7]);
    await client.query('SELECT n FROM written WHERE n = 7 FOR UPDATE');
    await client.query('DELETE FROM "public"."written"');
    expect([...proxy.seen.keys()]).toEqual(
      expect.arrayContaining(['test.insert', 'update written.n', 'select written for update', 'delete written']),
    );
  });
});
