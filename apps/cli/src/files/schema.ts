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

/** Where the OpenAPI document has schemas. */
const COMPONENTS = '#/components/schemas/';
/** Those of a definition. Files have the members of a definition, except that they name credentials. */
const OF_DEFINITIONS = ['NodeDefinition', 'EdgeDefinition', 'NoteDefinition', 'WorkflowSettings'] as const;

/**
 * Returns the JSON Schema of files.
 * @param types complete and check the parameters of their nodes.
 * @param openApi the OpenAPI document of the instance, whose schemas of definitions the files have.
 */
export function fileSchema(types: readonly DescribedType[], openApi: unknown): Schema {
  const schemas = definitionSchemas(openApi);
  const { NodeDefinition: node = {} } = schemas;
  const { credentialId: _, ...members } = isObject(node.properties) ? node.properties : {};
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
        settings: { $ref: '#/$defs/WorkflowSettings' },
        nodes: { type: 'array', items: { $ref: '#/$defs/NodeDefinition' } },
        edges: { type: 'array', items: { $ref: '#/$defs/EdgeDefinition' } },
        notes: {
          type: 'array',
          items: { $ref: '#/$defs/NoteDefinition' },
          description: 'Notes on the canvas of the editor',
        },
        tests: { type: 'array', items: { $ref: '#/$defs/test' }, description: 'Run by "deckhand test"' },
      },
      ['slug', 'name'],
    ),
    $defs: {
      ...schemas,
      NodeDefinition: {
        ...node,
        properties: {
          ...members,
          type: {
            ...(isObject(members.type) ? members.type : TEXT),
            ...(types.length > 0 && {
              oneOf: types.map(({ type, title, description }) => ({ const: type, title, description })),
            }),
          },
          credential: { ...TEXT, description: 'The name of a credential' },
        },
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

/** Returns the schemas of the parts of definitions, and those that they refer to, by name. */
function definitionSchemas(openApi: unknown): Readonly<Record<string, Schema>> {
  const components = isObject(openApi) && isObject(openApi.components) ? openApi.components.schemas : {};
  const found: Record<string, Schema> = {};
  const add = (name: string): void => {
    const schema = isObject(components) ? components[name] : undefined;
    if (!isObject(schema) || Object.hasOwn(found, name)) return;
    // Before its parts: a schema may contain itself.
    found[name] = {};
    found[name] = refer(schema, add);
  };
  OF_DEFINITIONS.forEach(add);
  return found;
}

/** Returns a copy of a schema that refers to those beside it. @param onName takes the names of these. */
function refer(schema: Schema, onName: (name: string) => void): Schema {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (isObject(value)) return refer(value, onName);
    if (typeof value !== 'string' || !value.startsWith(COMPONENTS)) return value;
    const name = value.slice(COMPONENTS.length);
    onName(name);
    return `#/$defs/${name}`;
  };
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, copy(value)]));
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
  const { data: openApi } = await client.get({ url: '/api/openapi.json', throwOnError: true });
  await writeFile(join(folder, 'workflow.schema.json'), `${JSON.stringify(fileSchema(types, openApi), null, 2)}\n`);
}
