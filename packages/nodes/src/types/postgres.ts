import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import { buffer } from 'node:stream/consumers';
import Type from 'typebox';
import { fileSource, openWithin } from '../files/file-source.ts';

const MAX_ROWS = 1_000;

export default defineNodeType({
  type: 'postgres',
  title: 'PostgreSQL query',
  description:
    'Runs one statement in a transaction of its own and returns `{ rows, rowCount }`: each row an object by column. Pass values as `values` and `$1`, `$2`, never by expressions in `query`: these would turn data into SQL. Whole numbers beyond 2^53 and numbers beyond 1.8e308, also in JSON, and exact decimals come as text, times with a zone in ISO 8601 to the microsecond, bytes in base64 or as a file, arrays as lists of the same. Nothing of its session lasts: no temporary table, setting, role or lock. A node that is retried runs its statement again, so write statements that may: `INSERT … ON CONFLICT DO NOTHING`.',
  keywords: ['database', 'sql', 'db', 'select', 'insert', 'update', 'table', 'store', 'query'],
  category: 'action',
  icon: 'database',
  summary: '{query}',
  hasEffects: true,
  credential: { types: ['postgres'], needed: () => ['postgres'] },
  parameters: Type.Object(
    {
      query: Type.String({ minLength: 1, maxLength: 100_000, description: 'One SQL statement' }),
      values: Type.Optional(
        Type.Array(Type.Unsafe<JsonValue>({}), {
          maxItems: 1_000,
          description:
            "Values for `$1`, `$2`, ...; a list becomes an array where the statement wants one, otherwise JSON, as an object does. A stored file becomes its bytes where the statement wants `bytea`, up to 32 MiB in all. For bytes in base64, write `decode($1, 'base64')`",
        }),
      ),
      readOnly: Type.Optional(
        Type.Boolean({ default: false, description: 'Refuses statements that would change anything' }),
      ),
      bytes: Type.Optional(
        Type.Enum(['base64', 'file'], {
          default: 'base64',
          description: 'What a column of the type `bytea` becomes: a text in base64, or a stored file of up to 10 MB',
        }),
      ),
      maxRows: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100_000,
          default: MAX_ROWS,
          description: 'More rows, or more than 10 MB, fail the node and undo the statement',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  sample: () => ({ rows: [], rowCount: 0 }),
  errors: [
    'ADDRESS_REFUSED',
    'FILE_LIMIT',
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'MEMORY_EXCEEDED',
    'POSTGRES_FAILED',
    'POSTGRES_RESPONSE_INVALID',
    'POSTGRES_UNREACHABLE',
    'RESULT_TOO_LARGE',
    'STORAGE_FULL',
  ],
  async run(
    { query, values = [], readOnly = false, bytes = 'base64', maxRows = MAX_ROWS },
    { services, signal, workspaceId, credentialId, credential, files },
  ) {
    const found = await credential();
    if (found?.type !== 'postgres') {
      throw new NodeError('CREDENTIAL_UNSUITABLE', 'the node needs a credential of type postgres', {
        isRetryable: false,
      });
    }
    const { connectionString } = found.secret;
    const { rows, rowCount } = await services.postgres.query({
      owner: `${workspaceId} ${credentialId ?? ''}`,
      connectionString,
      text: query,
      values,
      isReadOnly: readOnly,
      maxRows,
      signal: signal(),
      readFile: async (file, maxBytes) =>
        buffer(await openWithin(fileSource({ file: { ...file } }, files, 'values'), maxBytes)),
      ...(bytes === 'file' && { saveBytes: (content, name) => files.save([content], { name }) }),
    });
    return output({ rows, rowCount });
  },
  example: {
    trigger: { order: 17 },
    credential: {
      type: 'postgres',
      secret: { connectionString: 'postgres://shop:password@db.example.com/shop' },
    },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'find',
          type: 'postgres',
          credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
          parameters: {
            query: 'SELECT id, total FROM orders WHERE id = $1',
            values: ['{{ $trigger.order }}'],
            readOnly: true,
          },
        },
      ],
      edges: [{ source: 'start', target: 'find' }],
    },
    queryResult: { rows: [{ id: 17, total: '99.50' }], rowCount: 1 },
    outputs: { find: { rows: [{ id: 17, total: '99.50' }], rowCount: 1 } },
  },
});
