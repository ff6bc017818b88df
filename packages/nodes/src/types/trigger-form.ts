import {
  CLOSED,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  simpleForm,
  type ValidationIssue,
  WebhookOptions,
} from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { findExpressions } from '../trigger/fixed-parameters.ts';
import { withoutKeys } from '../trigger/key-options.ts';
import { findSchemaIssues } from '../schemas/input-schemas.ts';
import { findOptionIssues } from '../trigger/option-issues.ts';

export default defineNodeType({
  type: 'trigger.form',
  title: 'Form',
  description:
    'Starts a run for every form that somebody sends from its page, while the workflow is active. The page has a stable URL that needs no account, and fields by a JSON Schema, also for files. Its output is the values of the fields.',
  keywords: ['form', 'survey', 'upload', 'page', 'public', 'contact', 'questionnaire', 'submit'],
  category: 'trigger',
  icon: 'list-checks',
  summary: '{title}',
  hasEffects: false,
  parameters: Type.Object(
    {
      path: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{8,128}$',
          description: 'The last part of the URL; generated when the workflow is saved without one',
        }),
      ),
      title: Type.String({ minLength: 1, maxLength: 500, description: 'The heading of the page' }),
      intro: Type.Optional(
        Type.String({
          maxLength: 5_000,
          contentMediaType: 'text/plain',
          description: 'A plain text below the heading',
        }),
      ),
      schema: Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'JSON Schema of the form: texts, numbers, booleans, choices and files, at most 50. `title` is the label of a field, `description` its help text, `default` what it starts with, `contentMediaType: text/plain` asks for long text, and `file: {}` for a file, with the types `accept` and at most `maxBytes` (10 MiB). Patterns have no lookaround and no back references',
        },
      ),
      thanks: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2_000,
          contentMediaType: 'text/plain',
          description: 'A plain text that the page shows once the form was sent',
        }),
      ),
      redirectUrl: Type.Optional(
        Type.String({
          pattern: '^https?://[^\\s;,\'"\\\\]+$',
          maxLength: 2_000,
          description: 'The address that the browser goes to once the form was sent, instead of the page of thanks',
        }),
      ),
      options: Type.Optional(WebhookOptions),
    },
    CLOSED,
  ),
  form: { panel: 'webhook', inputs: { schema: 'form' } },
  outputMembersOf: 'schema.properties',
  check: ({ schema, ...fixed }) => [
    ...findFormIssues(schema),
    ...findExpressions(withoutKeys(fixed)),
    ...findOptionIssues(fixed),
    ...findAddressIssues(fixed),
  ],
  // Read before there is a run. Only keys may be expressions.
  verbatim: ['options', 'schema'],
  run: (_parameters, { trigger }) => output(trigger),
  example: {
    trigger: { name: 'Ada', seats: 2 },
    definition: {
      nodes: [
        {
          id: 'form',
          type: 'trigger.form',
          parameters: {
            title: 'Register for the course',
            schema: {
              type: 'object',
              properties: {
                name: { type: 'string', title: 'Your name', maxLength: 200 },
                seats: { type: 'integer', title: 'Seats', minimum: 1, default: 1 },
              },
              required: ['name'],
            },
            thanks: 'Thank you. We have reserved your seats.',
          },
        },
        { id: 'note', type: 'set', parameters: { fields: { text: '{{ $trigger.name }}: {{ $trigger.seats }}' } } },
      ],
      edges: [{ source: 'form', target: 'note' }],
    },
    outputs: { form: { name: 'Ada', seats: 2 }, note: { text: 'Ada: 2' } },
  },
});

/** The page has no scripts, so its fields are those that plain inputs can show. */
function findFormIssues(schema: JsonValue | undefined): ValidationIssue[] {
  const issues = findSchemaIssues('schema', schema);
  if (issues.length > 0 || !isJsonObject(schema) || simpleForm(schema)) return issues;
  const message =
    'must be of the type object, with at most 50 properties that are texts, numbers, booleans, choices (`enum`) or files';
  return [{ path: 'schema', message }];
}

function findAddressIssues({ redirectUrl }: JsonObject): ValidationIssue[] {
  const isFit = typeof redirectUrl !== 'string' || URL.canParse(redirectUrl);
  return isFit ? [] : [{ path: 'redirectUrl', message: 'must be an absolute http or https address' }];
}
