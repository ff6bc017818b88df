import { describe, expect, it } from '@jest/globals';
import { operationsOf } from './operations.ts';
import { examplesOf } from './request-examples.ts';

const operations = operationsOf({
  paths: {
    '/api/workflows/{id}/execute': {
      post: { operationId: 'executeWorkflow', tags: ['workflows'], summary: 'Start a run' },
    },
  },
});

const EXECUTE = `POST /api/workflows/<workflowId>/execute?wait=5
x-api-key: <key>
idempotency-key: a

{ "input": { "name": "O'Hara" } }
`;

describe('examples of requests', () => {
  it('are written for curl and the SDK', () => {
    const [http, curl, sdk, ...others] = examplesOf(EXECUTE, operations);
    expect(http).toEqual({ label: 'HTTP', text: EXECUTE.trimEnd() });
    expect(curl?.text).toBe(String.raw`curl -X POST '<url>/api/workflows/<workflowId>/execute?wait=5' \
  -H 'x-api-key: <key>' \
  -H 'idempotency-key: a' \
  -H 'content-type: application/json' \
  -d '{ "input": { "name": "O'\''Hara" } }'`);
    expect(sdk?.text).toBe(`import { executeWorkflow } from '@deckhand/sdk/operations';

const { data } = await executeWorkflow({
  client: deckhand.client,
  path: {"id":"<workflowId>"},
  query: {"wait":"5"},
  headers: {"idempotency-key":"a"},
  body: { "input": { "name": "O'Hara" } },
  throwOnError: true,
});`);
    expect(others).toEqual([]);
  });

  it.each([
    ['POST /api/workflows/a/execute\nx-api-key: k', "deckhand run 'a'"],
    [
      'POST /api/workflows/a/execute\nidempotency-key: k\n\n{ "input": { "b": 1 } }',
      `deckhand run 'a' --input '{"b":1}' --idempotency-key 'k'`,
    ],
    ['POST /api/workflows/a/execute\n\n{ "tags": ["b"] }', undefined],
    ['POST /api/workflows/a/execute\n\n{ "input": … }', undefined],
    ['GET /api/executions/a\nx-api-key: k', "deckhand runs get 'a'"],
    ['GET /api/executions/a/result', undefined],
  ])('are written for the command line where it can send the same: %j', (message, expected) => {
    expect(examplesOf(message, operations).find(({ label }) => label === 'CLI')?.text).toBe(expected);
  });

  it('with a session, or of an unknown operation, are not for the SDK', () => {
    for (const message of ['GET /api/auth/me\nauthorization: Bearer a', 'GET /api/nothing\nx-api-key: k']) {
      expect(examplesOf(message, operations).map(({ label }) => label)).toEqual(['HTTP', 'curl']);
    }
  });

  it('are none for a response', () => {
    expect(examplesOf('HTTP/1.1 200 OK\n\n{}', operations)).toEqual([]);
  });
});
