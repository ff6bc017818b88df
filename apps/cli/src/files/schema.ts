import { DeckhandError } from '@deckhand/sdk';
import { listNodeTypes } from '@deckhand/sdk/operations';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../connection.ts';
import { isObject } from '../json.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What the schema needs of a node type. */
interface DescribedType {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Schema;
}

const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0 };
const NODE_ID = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
/** A parameter may also be an expression, or be taken from the environment. */
const INSTEAD = [
  { type: 'string', pattern: '\\{\\{' },
  { type: 'object', required: ['$env'], properties: { $env: TEXT }, additionalProperties: false },
];

const closed = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});

const POSITION = closed({ x: { type: 'number' }, y: { type: 'number' } }, ['x', 'y']);
const NOTE = closed(
  {
    id: NODE_ID,
    text: { type: 'string', maxLength: 4_000 },
    color: { enum: ['yellow', 'orange', 'red', 'green', 'blue', 'purple', 'gray'], default: 'yellow' },
    position: POSITION,
    width: { type: 'number', minimum: 40, maximum: 10_000 },
    height: { type: 'number', minimum: 40, maximum: 10_000 },
  },
  ['id', 'text', 'position'],
);

const TEST = closed(
  {
    name: TEXT,
    input: { type: 'object', description: 'What the run is started with' },
    trigger: { ...NODE_ID, description: 'The trigger to start from; the first manual one by default' },
    variables: { type: 'object', additionalProperties: TEXT, description: 'What $vars has' },
    now: { ...TEXT, description: 'When the run starts, in ISO 8601' },
    mocks: {
      type: 'object',
      description: 'What nodes return, by their ids',
      additionalProperties: { anyOf: [{ $ref: '#/$defs/mock' }, { type: 'array', items: { $ref: '#/$defs/mock' } }] },
    },
    expect: closed({
      status: { enum: ['success', 'failed', 'waiting'], description: 'success by default' },
      path: {
        type: 'array',
        items: TEXT,
        description: 'The nodes that run, in their order; those in a loop once per item',
      },
      outputs: { type: 'object', description: 'Outputs of nodes, by their ids' },
      result: { description: 'The body of the terminal node' },
      error: closed({ node: NODE_ID, code: TEXT, message: TEXT }),
      seconds: { type: 'number', description: 'How long the run takes by its own clock' },
    }),
  },
  ['name'],
);

const MOCK = {
  ...closed({
    output: { description: 'The node returns this' },
    handle: { ...TEXT, description: 'It continues at this output' },
    error: closed({ message: TEXT, code: TEXT, retry: { type: 'boolean', description: 'It may be tried again' } }),
    answer: { description: 'An approval decides so, or a person fills in this' },
    after: { type: 'number', minimum: 0, description: 'After so many seconds' },
  }),
  minProperties: 1,
};

/** Returns the JSON Schema of files. @param types complete and check the parameters of their nodes. */
export function fileSchema(types: readonly DescribedType[]): Schema {
  const node = closed(
    {
      id: NODE_ID,
      type:
        types.length === 0
          ? TEXT
          : { oneOf: types.map(({ type, title, description }) => ({ const: type, title, description })) },
      name: TEXT,
      disabled: { type: 'boolean', description: 'Passes its input on' },
      credential: { ...TEXT, description: 'The name of a credential' },
      parameters: { type: 'object' },
      retry: closed({ maxAttempts: COUNT, delayMs: COUNT, factor: { type: 'number' }, maxDelayMs: COUNT }, [
        'maxAttempts',
      ]),
      timeoutSeconds: { type: 'number', exclusiveMinimum: 0 },
      onInterrupt: { enum: ['rerun', 'fail'] },
      onError: { enum: ['stop', 'continue', 'branch'] },
      mock: {},
      position: POSITION,
    },
    ['id', 'type'],
  );
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A workflow of Deckhand',
    ...closed(
      {
        slug: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 },
        name: { type: 'string', minLength: 1, maxLength: 200 },
        description: TEXT,
        folder: {
          anyOf: [TEXT, { type: 'array', items: TEXT }],
          description: 'The folders from the outermost one, such as Payments/Refunds',
        },
        status: { enum: ['draft', 'active', 'inactive'], default: 'draft' },
        errorWorkflow: { ...TEXT, description: 'The slug of the workflow that is started when a run fails, or none' },
        settings: { type: 'object' },
        nodes: { type: 'array', items: { $ref: '#/$defs/node' } },
        edges: {
          type: 'array',
          items: closed({ source: NODE_ID, sourceHandle: TEXT, target: NODE_ID, targetHandle: TEXT }, [
            'source',
            'target',
          ]),
        },
        notes: { type: 'array', items: NOTE, description: 'Notes on the canvas of the editor' },
        tests: { type: 'array', items: { $ref: '#/$defs/test' }, description: 'Run by "deckhand test"' },
      },
      ['slug', 'name'],
    ),
    $defs: {
      node: {
        ...node,
        ...(types.length > 0 && {
          allOf: types.map(({ type }) => ({
            if: { properties: { type: { const: type } } },
            then: { properties: { parameters: { $ref: `#/$defs/${encodeURIComponent(type)}` } } },
          })),
        }),
      },
      test: TEST,
      mock: MOCK,
      ...Object.fromEntries(types.map((type) => [type.type, parametersOf(type)])),
    },
  };
}

/** In a file, a node that starts a workflow names it by its slug. */
function parametersOf({ type, parameters }: DescribedType): Schema {
  const { properties, required } = parameters;
  const known = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => [
    name,
    { anyOf: [schema, ...INSTEAD] },
  ]);
  const bySlug = type === 'workflow' ? { workflow: { ...TEXT, description: 'The slug of the workflow' } } : {};
  const needed = Array.isArray(required) ? required.filter((name) => name !== 'workflowId') : [];
  return { ...parameters, properties: { ...bySlug, ...Object.fromEntries(known) }, required: needed };
}

/** Writes the schema beside the files, with the node types of the instance if the key may read them. */
export async function writeSchema({ deckhand: { client } }: Connection, folder: string): Promise<void> {
  const types = await listNodeTypes({ client, throwOnError: true }).then(
    ({ data }) => ('data' in data ? data.data : []),
    (error: unknown) => {
      if (error instanceof DeckhandError && error.status === 403) return [];
      throw error;
    },
  );
  await writeFile(join(folder, 'workflow.schema.json'), `${JSON.stringify(fileSchema(types), null, 2)}\n`);
}
