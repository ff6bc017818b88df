import Type, { type Static } from 'typebox';
import type { JsonValue } from '../json.ts';
import { CLOSED } from './common.ts';
import { CONNECTOR_NAME, CONNECTOR_OPERATION, CONNECTOR_VERSION } from './connector-packs.ts';

const JavaScript = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 500, description }));

const N8nOperation = Type.Object(
  {
    n8n: Type.String({
      pattern: '^\\S+ \\S+$',
      description: 'The resource and the operation of n8n: `message post`; `-` for a node without resources',
    }),
    isDefault: Type.Optional(Type.Boolean({ description: 'What an export of the resource without operation means' })),
    action: Type.String({ pattern: CONNECTOR_OPERATION }),
    values: Type.Optional(
      Type.Record(Type.String({ pattern: '^(path|query|header|body)\\.' }), Type.String(), {
        description:
          'The parameter of n8n of each value, by names with dots. A question mark after it: it may be missing; an exclamation mark: n8n evaluates it for the first item; a star: it sends it as text; braces: it is an object of values. Without `values`, nothing is converted: a stub names the action',
      }),
    ),
    fixed: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<JsonValue>({}), { description: 'Values that n8n always sends' }),
    ),
    when: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<JsonValue>({}), {
        description:
          'Parameters with the value that they must have: a list of several. Null is one that may be missing',
      }),
    ),
    needs: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Parameters without which n8n fails, whatever the others are, with what is missing then',
      }),
    ),
    ignored: Type.Optional(Type.Array(Type.String(), { description: 'Parameters that change nothing here' })),
    urls: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Patterns by which n8n finds the values of parameters that are given as addresses',
      }),
    ),
    modes: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description:
          'In which modes n8n takes the values of parameters that are chosen as they are. Those of others make a stub, apart from addresses with a pattern',
      }),
    ),
    error: JavaScript('Returns what went wrong of a response that is none by its status, of its `body`'),
    item: JavaScript('Returns the item that n8n makes of the `body` of the response, or their list'),
    isList: Type.Optional(Type.Boolean({ description: 'Whether the response is a list of items' })),
    allPages: Type.Optional(Type.Boolean()),
    notes: Type.Optional(Type.Array(Type.String(), { description: 'What differs from n8n' })),
  },
  CLOSED,
);

/** What a connector does in place of a node of n8n: the `n8n.yaml` of a pack, beside its document. */
export const N8nTable = Type.Object(
  {
    type: Type.String({ description: "The type of n8n's node, without its package" }),
    connector: Type.String({ pattern: CONNECTOR_NAME }),
    version: Type.String({ pattern: CONNECTOR_VERSION }),
    credential: Type.String({ description: 'The types of credentials that it takes' }),
    from: Type.Number({ description: 'The first version of the node whose operations are converted' }),
    resource: Type.String({ description: 'What an export without resource means; `-` without resources' }),
    operations: Type.Array(N8nOperation, { minItems: 1, maxItems: 200 }),
  },
  CLOSED,
);
export type N8nTable = Static<typeof N8nTable>;
export type N8nOperation = N8nTable['operations'][number];
