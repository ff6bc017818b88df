import {
  type JsonValue,
  CLOSED,
  HmacSignature,
  isJsonObject,
  oneOf,
  type JsonObject,
  WEBHOOK_SIGNATURES,
  type WebhookSignature,
  type ValidationIssue,
  WebhookOptions,
} from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { findExpressions } from '../trigger/fixed-parameters.ts';
import { withoutKeys } from '../trigger/key-options.ts';
import { findSchemaIssues } from '../schemas/input-schemas.ts';
import { findOptionIssues } from '../trigger/option-issues.ts';
import { findTriggerExpressionIssues, MAX_TRIGGER_EXPRESSION_LENGTH } from '../trigger/trigger-expression.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** The named schemes that sign a time. */
const TIMED_SCHEMES = ['standardWebhooks', 'stripe', 'slack'] as const satisfies readonly WebhookSignature[];

export default defineNodeType({
  type: 'trigger.webhook',
  title: 'Webhook',
  description:
    'Starts a run for every request to its URL, while the workflow is active. Its output is `{ body, headers, query, method, path, timestamp }`. Header names are in lower case. `payloadType` says how the body is parsed; a binary body becomes `{ base64, contentType, bytes }`. Integers in JSON above 2^53, and numbers above 1.8e308, become text.',
  keywords: ['http trigger', 'incoming', 'receive', 'endpoint', 'url', 'callback', 'api trigger'],
  category: 'trigger',
  icon: 'webhook',
  summary: '{method}',
  hasEffects: false,
  parameters: Type.Object(
    {
      path: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{8,128}$',
          description:
            'The last part of the URL; generated when the workflow is saved without one. Triggers of a workflow with different methods may have the same',
        }),
      ),
      method: Type.Optional(
        oneOf(METHODS, { default: 'POST', description: 'The method that starts a run; others get a 405' }),
      ),
      secret: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1_000,
          writeOnly: true,
          description:
            'Required in `X-Webhook-Secret` of every request; others get a 401. Never shown again: `********` keeps it',
        }),
      ),
      nextSecret: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1_000,
          writeOnly: true,
          description:
            'A second valid secret while senders change over to it; afterwards, make it the `secret` and remove it here',
        }),
      ),
      payloadType: Type.Optional(
        oneOf(['auto', 'json', 'form', 'text', 'binary'], {
          default: 'auto',
          description: 'How the body is parsed; `auto` follows its content type',
        }),
      ),
      files: Type.Optional(
        oneOf(['inline', 'stored'], {
          default: 'inline',
          description:
            'Binary bodies, and files of multipart forms: in base64 (`inline`), or as files that are stored while they come',
        }),
      ),
      bodySchema: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              'JSON Schema of `$trigger.body`. A request whose body does not fit gets a 400 with the field, and starts no run. Its patterns have no lookaround and no back references',
          },
        ),
      ),
      rawBody: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Keeps the body as sent in `$trigger.rawBody`',
        }),
      ),
      responseMode: Type.Optional(
        oneOf(['immediately', 'onCompletion'], {
          default: 'immediately',
          description:
            'Respond before the run, or after it with the result of its Terminal node. A `respond` node of the run responds earlier',
        }),
      ),
      responseCode: Type.Optional(
        Type.Integer({
          minimum: 200,
          maximum: 599,
          default: 200,
          description: 'Status of an immediate response',
        }),
      ),
      allowedOrigins: Type.Optional(
        Type.Array(Type.String({ pattern: '^(\\*|https?://[^/\\s]+)$' }), {
          maxItems: 100,
          default: ['*'],
          description: 'Pages that may send requests from a browser, such as https://example.com, or *',
        }),
      ),
      allowedMethods: Type.Optional(
        Type.Array(oneOf([...METHODS, 'OPTIONS']), {
          maxItems: 6,
          uniqueItems: true,
          description: 'Methods in the response to a preflight request; by default the method and OPTIONS',
        }),
      ),
      authentication: Type.Optional(
        oneOf(['none', 'basic', 'bearer', 'apiKey'], {
          default: 'none',
          description: "Checked against the node's credential, beside the secret",
        }),
      ),
      signature: Type.Optional(
        oneOf(['none', ...WEBHOOK_SIGNATURES], {
          default: 'none',
          description:
            "How the sender signs its requests; others get a 401. The secret is the token of the node's credential, or its next token",
        }),
      ),
      signatureToleranceSeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 86_400,
          default: 300,
          description: 'How far the signed time of a request may be from now, in both directions',
        }),
      ),
      hmac: Type.Optional(
        Type.Object(HmacSignature.properties, {
          ...CLOSED,
          title: 'HMAC',
          description: 'How requests are signed with the signature `hmac`',
        }),
      ),
      idempotencyKey: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_TRIGGER_EXPRESSION_LENGTH,
          description:
            "The sender's id of the request, such as `{{ $trigger.headers['x-github-delivery'] }}`: requests with the same id start one run",
        }),
      ),
      idempotencyKeyUsedUp: Type.Optional(
        oneOf(['whenSucceeded', 'whenAccepted'], {
          default: 'whenSucceeded',
          description:
            'Whether a request with the same id starts another run after the first one has failed (`whenSucceeded`), or never (`whenAccepted`)',
        }),
      ),
      mode: Type.Optional(
        oneOf(['start', 'signal'], {
          default: 'start',
          description: 'Start a run, or send an event to the workspace and start nothing',
        }),
      ),
      event: Type.Optional(
        Type.Object(
          {
            name: eventTemplate('The name of the event, such as `github.{{ $trigger.headers["x-github-event"] }}`'),
            key: Type.Optional(eventTemplate('Its key, such as `{{ $trigger.body.order }}`')),
          },
          { additionalProperties: false, description: 'The event of the mode `signal`; its data is `$trigger`' },
        ),
      ),
      options: Type.Optional(WebhookOptions),
    },
    CLOSED,
  ),
  form: {
    panel: 'webhook',
    inputs: { hmac: 'group' },
    shownFor: {
      signatureToleranceSeconds: { signature: [...TIMED_SCHEMES, 'hmac'] },
      hmac: { signature: ['hmac'] },
      event: { mode: ['signal'] },
    },
  },
  outputSchema: Type.Object({
    body: Type.Unsafe<JsonValue>({}),
    headers: Type.Record(Type.String(), Type.Unsafe<JsonValue>({})),
    query: Type.Record(Type.String(), Type.Unsafe<JsonValue>({})),
    method: Type.String(),
    path: Type.String(),
    timestamp: Type.String(),
  }),
  check: ({ idempotencyKey, event, bodySchema, ...fixed }) => [
    ...findSchemaIssues('bodySchema', bodySchema),
    ...findExpressions(withoutKeys(fixed)),
    ...findSecretIssues(fixed),
    ...findSignatureIssues(fixed),
    ...findOptionIssues(fixed),
    ...findTriggerExpressionIssues('idempotencyKey', idempotencyKey),
    ...findFileIssues(fixed),
    ...findSignalIssues({ ...fixed, ...(event !== undefined && { event }), ...(bodySchema && { bodySchema }) }),
  ],
  warn: (parameters) =>
    isOpen(parameters)
      ? [
          {
            code: 'WEBHOOK_IS_OPEN',
            path: '',
            message: 'Requests are not checked: anybody who knows the URL is heard.',
          },
        ]
      : [],
  credential: {
    types: ['basic', 'bearer', 'apiKey'],
    needed({ authentication, signature = 'none' }) {
      if (signature !== 'none') return ['bearer'];
      return authentication === 'basic' || authentication === 'bearer' || authentication === 'apiKey'
        ? [authentication]
        : [];
    },
  },
  // Read before there is a run. Only keys and the event may be expressions.
  verbatim: ['idempotencyKey', 'event', 'options', 'bodySchema'],
  run: (_parameters, { trigger }) => output(trigger),
  example: {
    trigger: {
      body: { order: 17 },
      headers: { 'content-type': 'application/json' },
      query: {},
      method: 'POST',
      path: 'orders-7f3a9c',
      timestamp: '2026-01-05T09:00:00.000Z',
    },
    definition: {
      nodes: [
        {
          id: 'hook',
          type: 'trigger.webhook',
          parameters: {
            path: 'orders-7f3a9c',
            method: 'POST',
            payloadType: 'json',
            responseMode: 'onCompletion',
          },
        },
        {
          id: 'reply',
          type: 'terminal',
          parameters: { body: { accepted: '{{ $trigger.body.order }}' }, statusCode: 202 },
        },
      ],
      edges: [{ source: 'hook', target: 'reply' }],
    },
    outputs: { reply: { accepted: 17 } },
    result: { body: { accepted: 17 }, statusCode: 202, headers: {} },
  },
});

/** Whether nothing in a request proves its sender. A page in a browser could not keep a secret. */
function isOpen({ secret, authentication = 'none', signature = 'none', allowedOrigins }: JsonObject): boolean {
  return secret === undefined && authentication === 'none' && signature === 'none' && allowedOrigins === undefined;
}

function eventTemplate(description: string) {
  return Type.String({ minLength: 1, maxLength: MAX_TRIGGER_EXPRESSION_LENGTH, description });
}

/** Matches what a header can carry (RFC 9110, 5.5): senders and servers drop blanks around it. */
const HEADER_VALUE = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

function findSecretIssues(parameters: JsonObject): ValidationIssue[] {
  return ['secret', 'nextSecret'].flatMap((path) => {
    const secret = parameters[path];
    const isFit = typeof secret !== 'string' || HEADER_VALUE.test(secret);
    const message = 'must have Latin-1 characters only, and blanks only inside: no request could have it in a header';
    return isFit ? [] : [{ path, message }];
  });
}

function findSignatureIssues({
  signature = 'none',
  authentication = 'none',
  signatureToleranceSeconds,
  hmac,
}: JsonObject): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if (signature !== 'none' && authentication !== 'none') {
    const message = "and authentication both use the node's credential: choose one of them, with a secret beside it";
    issues.push({ path: 'signature', message });
  }
  const given = hmac !== undefined && isJsonObject(hmac) ? hmac : undefined;
  if (signature !== 'hmac' && hmac !== undefined) issues.push({ path: 'hmac', message: 'is for the signature hmac' });
  if (signature === 'hmac' && hmac === undefined) {
    issues.push({ path: 'hmac', message: 'is needed for the signature hmac' });
  }
  const isTimed = TIMED_SCHEMES.some((scheme) => scheme === signature) || given?.timestampHeader !== undefined;
  if (signatureToleranceSeconds !== undefined && !isTimed) {
    issues.push({ path: 'signatureToleranceSeconds', message: 'is for signatures of a time' });
  }
  return given ? [...issues, ...findSignedTextIssues(given)] : issues;
}

/** A header whose value is not signed proves nothing, and a body that is not signed could be replaced. */
function findSignedTextIssues({ signedText = '{body}', timestampHeader, idHeader }: JsonObject): ValidationIssue[] {
  if (typeof signedText !== 'string') return [];
  const path = 'hmac.signedText';
  const issues = signedText.includes('{body}') ? [] : [{ path, message: 'has to contain {body}' }];
  for (const [placeholder, name, header] of [
    ['{timestamp}', 'timestampHeader', timestampHeader],
    ['{id}', 'idHeader', idHeader],
  ] as const) {
    const isSigned = signedText.includes(placeholder);
    if (isSigned && header === undefined) issues.push({ path, message: `contains ${placeholder}: set ${name}` });
    if (!isSigned && header !== undefined) issues.push({ path, message: `has to contain ${placeholder}` });
  }
  return issues;
}

function findSignalIssues({ mode, event, responseMode, options, bodySchema }: JsonObject): ValidationIssue[] {
  if (mode !== 'signal') {
    return event === undefined ? [] : [{ path: 'event', message: 'is only for the mode signal' }];
  }
  if (event === undefined || !isJsonObject(event)) {
    return [{ path: 'event', message: 'is needed in the mode signal' }];
  }
  return [
    ...findTriggerExpressionIssues('event.name', event.name),
    ...findTriggerExpressionIssues('event.key', event.key),
    ...(responseMode === 'onCompletion'
      ? [{ path: 'responseMode', message: 'must be immediately in the mode signal: no run starts' }]
      : []),
    ...(bodySchema === undefined
      ? []
      : [{ path: 'bodySchema', message: 'is for runs, and the mode signal starts none' }]),
    ...(options === undefined ? [] : [{ path: 'options', message: 'are for runs, and the mode signal starts none' }]),
  ];
}

/** Stored files are named by a run, and their bytes are not held. */
function findFileIssues({ files, rawBody, mode }: JsonObject): ValidationIssue[] {
  if (files !== 'stored') return [];
  return [
    ...(rawBody === true ? [{ path: 'rawBody', message: 'cannot be kept while files are stored' }] : []),
    ...(mode === 'signal' ? [{ path: 'files', message: 'are stored for runs, and the mode signal starts none' }] : []),
  ];
}
