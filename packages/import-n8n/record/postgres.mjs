// Runs statements by n8n's Postgres node and by what it is converted to, and prints the results that differ. All tables
// named "t" of the database are lost. Development only.
//   node packages/import-n8n/record/postgres.mjs <folder with n8n> <host> <port> <user> <database>
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { runInMemory } from '../../../tests/harness/engine.ts';
import { connect, convertN8n, node, START } from '../../../tests/harness/import-n8n.ts';
import { createPostgresClient, createScriptRunner } from '../../nodes/src/index.ts';
import { prepare } from './n8n.mjs';

const [, host, port, user, database] = process.argv.slice(2);
if (database === undefined) throw new Error('name the folder of n8n, and host, port, user and database');
const connectionString = `postgres://${user}@${host}:${port}/${database}?sslmode=disable`;
const { Client } = createRequire(new URL('../../nodes/package.json', import.meta.url))('pg');
const admin = new Client({ connectionString });
await admin.connect();
const reset = () =>
  admin.query(`
    DROP TABLE IF EXISTS t;
    CREATE TABLE t (
      id int PRIMARY KEY, name text, at timestamptz, big bigint, price numeric(10,2), tags text[], data jsonb, ok boolean,
      day date
    );
    INSERT INTO t VALUES
      (1, 'Ada', '2024-01-15T10:00:00Z', 5, 1.50, '{a,b}', '{"x":1}', true, '2024-01-15'),
      (2, 'Bob', null, 9007199254740993, 2, null, null, false, null)`);
const stored = async () => (await admin.query('SELECT * FROM t ORDER BY id')).rows;
const code = createScriptRunner();
const postgres = createPostgresClient({ allowPrivate: true });

/** Returns the items of n8n's node, and what the table then has; or the message of its error. */
async function runTheirs(version, parameters, items) {
  await reset();
  const { context, node: theirs } = prepare('postgres', version, parameters, items);
  context.getCredentials = () => ({ host, port: Number(port), database, user, ssl: 'disable', maxConnections: 2 });
  try {
    const [output] = await theirs.execute.call(context);
    return { items: JSON.parse(JSON.stringify(output.map(({ json }) => json))), rows: await stored() };
  } catch (error) {
    return { error: error.message };
  }
}

/** The same of what it is converted to. */
async function runOurs(version, parameters, items) {
  await reset();
  const list = JSON.stringify(items.map((json) => ({ json })));
  const nodes = [
    START,
    node('Items', 'code', {
      jsCode: items.length === 1 ? `return [${list.slice(1, -1)}];` : `return ${list}.slice();`,
    }),
    { ...node('Node', 'postgres', parameters), typeVersion: version },
  ];
  const connections = connect('Start > Items', 'Items > Node');
  const { definition, notes } = convertN8n(JSON.parse(JSON.stringify({ nodes, connections })));
  const note = notes.find(({ node: name }) => name === 'Node');
  if (note.level === 'manual') return { error: `is a stub: ${note.messages.join()}` };
  const credentialId = '01890a5d-ac96-774b-bcce-b302099a8057';
  const chosen = definition.nodes.map((each) => (each.type === 'postgres' ? { ...each, credentialId } : each));
  const { ending, last } = await runInMemory(
    { ...definition, nodes: chosen },
    {
      trigger: {},
      services: { code, postgres },
      openCredential: () => Promise.resolve({ type: 'postgres', secret: { connectionString } }),
    },
  );
  if (ending.kind !== 'success') return { error: ending.error?.message ?? ending.kind };
  const output = [...last.values()].find(({ nodeId }) => nodeId === 'node_items')?.output;
  return { items: [output].flat(), rows: await stored() };
}

const TABLE = { schema: { mode: 'list', value: 'public' }, table: { mode: 'list', value: 't' } };
const set = (value, matchingColumns = []) => ({
  columns: { mappingMode: 'defineBelow', value, matchingColumns },
});
const AUTO = { columns: { mappingMode: 'autoMapInputData' } };
const query = (text, queryReplacement, more = {}) => ({
  ...{ operation: 'executeQuery', query: text },
  options: { ...(queryReplacement !== undefined && { queryReplacement }), ...more },
});
const of = (operation, rest) => ({ operation, ...TABLE, ...rest });
const where = (...values) => ({ where: { values } });
const NAMED = { id: '={{ $json.id }}', name: '={{ $json.name }}' };
const ONE = [{ id: 3, name: 'Cy' }];
const TWO = [...ONE, { id: 4, name: "O'Hara" }];
const INSERT = 'INSERT INTO t (id, name) VALUES ($1, $2)';

const SHAPES = [
  [query('SELECT id, name FROM t ORDER BY id')],
  [query('SELECT * FROM t ORDER BY id;')],
  [query('SELECT * FROM t WHERE id = 99')],
  [query('SELECT * FROM t WHERE name = $1', "={{ 'Ada' }}")],
  [query('SELECT id FROM t WHERE id = $1 OR name = $2', '={{ 1 }}, {{ "Bob" }}')],
  [query('SELECT $1 AS a, $2 AS b', 'x, y z')],
  [query('SELECT $1::int + 1 AS a', '={{ $json.id }}')],
  [query('SELECT $1 AS a', '={{ $json.id }}')],
  [query(INSERT, '={{ $json.id }}, {{ $json.name }}')],
  [query(`${INSERT} RETURNING id`, '={{ [$json.id, $json.name] }}'), TWO],
  [query(INSERT, '={{ [$json.id, $json.name] }}'), TWO],
  [query("UPDATE t SET name = '{{ $json.name }}' WHERE id = 1")],
  [query("UPDATE t SET name = '{{ $json.missing }}' WHERE id = 1 RETURNING name")],
  [query('WITH x AS (INSERT INTO t (id) VALUES (7) RETURNING id) SELECT * FROM x WHERE id = 8')],
  [query('WITH x AS (SELECT 1) UPDATE t SET name = name')],
  [query('UPDATE t SET data = $1::jsonb WHERE id = 2 RETURNING data', '={{ JSON.stringify($json) }}')],
  [query('UPDATE t SET data = $1 WHERE id = 2 RETURNING data', '={{ [$json] }}')],
  [query('UPDATE t SET tags = $1 WHERE id = 2 RETURNING tags', '={{ [["x", "y"]] }}')],
  [query("SELECT '$1' AS a")],
  [query('SELECT count(*) AS n, sum(price) AS s, now() > at AS later FROM t GROUP BY at ORDER BY 1, 2')],
  [query('SELECT 1 AS n', undefined, { queryBatching: 'independently' }), TWO],
  [query('DELETE FROM t WHERE id = $1', '={{ $json.id }}', { queryBatching: 'independently' }), TWO],
  [query('SELECT nothing FROM t')],
  [of('insert', set({ ...NAMED, ok: true, price: 2.5 }))],
  [of('insert', set(NAMED)), TWO],
  [of('insert', { ...set({ id: 1, name: 'x' }), options: { skipOnConflict: true } })],
  [
    of('insert', {
      ...set({ id: 5, data: '={{ $json }}', tags: '={{ ["a", "b c"] }}' }),
      options: { outputColumns: ['id', 'data', 'tags'] },
    }),
  ],
  [of('insert', set({ id: 5, name: null }))],
  [of('insert', AUTO)],
  [of('insert', AUTO), TWO],
  [of('insert', AUTO), [{ id: 9, nope: 1 }]],
  [of('update', set({ id: 1, name: '={{ $json.name }}' }, ['id']))],
  [of('update', set({ id: 99, name: 'x' }, ['id']))],
  [of('upsert', set({ id: 1, name: 'Up', ok: null }, ['id']))],
  [of('upsert', set(NAMED, ['id'])), TWO],
  [of('select')],
  [
    of('select', {
      ...{ returnAll: true, options: { outputColumns: ['id'] } },
      ...where({ column: 'id', condition: '>', value: '1' }),
    }),
  ],
  [
    of('select', {
      ...where({ column: 'name', condition: 'LIKE', value: 'A%' }, { column: 'at', condition: 'IS NULL' }),
      ...{ combineConditions: 'OR', limit: 1, options: { outputColumns: ['id', 'name'] } },
      sort: { values: [{ column: 'id', direction: 'DESC' }] },
    }),
  ],
  [of('select', where({ column: 'id', value: '={{ $json.id }}' }))],
  [of('deleteTable', { deleteCommand: 'delete', ...where({ column: 'id', condition: '>=', value: 2 }) })],
  [of('deleteTable')],
  [of('deleteTable', { deleteCommand: 'delete', ...where({ column: 'id', condition: '!=', value: 2 }) }), TWO],
];

let same = 0;
for (const version of [2.2, 2.6]) {
  for (const [parameters, items = ONE] of SHAPES) {
    const theirs = await runTheirs(version, parameters, items);
    const ours = await runOurs(version, parameters, items);
    const isSame = theirs.error === undefined ? isDeepStrictEqual(ours, theirs) : ours.error !== undefined;
    if (isSame) same += 1;
    else console.log(version, JSON.stringify({ parameters, theirs, ours }, null, 2));
  }
}
console.log(same, 'of', 2 * SHAPES.length, 'are the same');
await Promise.all([code.close(), postgres.close(), admin.end()]);
// n8n keeps its connections.
process.exit();
