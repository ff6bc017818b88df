import { describe, expect, it } from '@jest/globals';
import { operationsOf } from './operations.ts';
import { examplesOf } from './request-examples.ts';

const operations = operationsOf({
  paths: {
    '/api/workflows/{id}/versions': {
      post: { operationId: 'createVersion', tags: ['workflows'], summary: 'Save a version' },
    },
  },
});

const SAVE = `POST /api/workflows/<workflowId>/versions?wait=5
x-api-key: <key>
idempotency-key: a

{ "input": { "name": "O'Hara" } }
`;

describe('examples of requests', () => {
  it('are written for curl and the SDK', () => {
    const [http, curl, sdk, ...others] = examplesOf(SAVE, operations);
    expect(http).toEqual({ label: 'HTTP', language: 'http', text: SAVE.trimEnd() });
    expect(curl?.text).toBe(String.raw`curl -X POST '<url>/api/workflows/<workflowId>/versions?wait=5' \
  -H 'x-api-key: <key>' \
  -H 'idempotency-key: a' \
  -H 'content-type: application/json' \
  -d '{ "input": { "name": "O'\''Hara" } }'`);
    expect(sdk?.text).toBe(`import { createVersion } from '@deckhand/sdk/operations';

const { data } = await createVersion({
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
    ['POST /api/workflows/a/execute\n\n{ "tags": ["b", "c"] }', "deckhand run 'a' --tag 'b' --tag 'c'"],
    ['POST /api/workflows/a/execute\n\n{ "delay": 5 }', undefined],
    ['POST /api/workflows/a/execute\n\n[]', undefined],
    ['POST /api/workflows/a/execute\n\n{ "input": … }', undefined],
    ['GET /api/executions/a\nx-api-key: k', "deckhand runs get 'a'"],
    ['GET /api/executions/a?wait=30', "deckhand runs follow 'a' --timeout '30'"],
    ['GET /api/executions/a/result', undefined],
    ['POST /api/executions/a/rerun\n\n{ "iterations": "failed" }', "deckhand runs rerun 'a' --failed-iterations"],
    ['POST /api/executions/a/rerun\n\n{ "fromNodeId": "b", "mocks": {} }', undefined],
    [
      'POST /api/approvals/submit\n\n{ "executionId": "a", "nodeId": "b", "approved": false }',
      "deckhand approve 'a' --node 'b' --reject",
    ],
    ['GET /api/executions?workspaceId=a&tag=b,c', "deckhand runs list --tag 'b' --tag 'c'"],
    ['PATCH /api/workflows/a\n\n{ "status": "active" }', "deckhand workflows activate 'a'"],
    ['PATCH /api/workflows/a\n\n{ "activeVersionId": "b" }', undefined],
    ['PATCH /api/workflows/a\n\n{ "status": "inactive" }', undefined],
    [
      'POST /api/credentials\n\n{ "name": "a", "type": "basic", "secret": { "username": "b", "password": "c" } }',
      "deckhand secrets set 'a' --type 'basic' --field 'username=b'",
    ],
  ])('are written for the command line where it can send the same: %j', (message, expected) => {
    expect(examplesOf(message, operations).find(({ label }) => label === 'CLI')?.text).toBe(expected);
  });

  it.each([
    [
      'POST /api/workflows/a/execute\nx-api-key: k\nidempotency-key: b\n\n{ "input": { "name": "O\'Hara" }, "delay": 5 }',
      `const run = await deckhand.workflows.execute('a', { name: "O'Hara" }, { delay: 5, idempotencyKey: 'b' });`,
    ],
    ['POST /api/workflows/a/execute\nx-api-key: k', "const run = await deckhand.workflows.execute('a');"],
    [
      'POST /api/workflows/a/execute/batch\nx-api-key: k\n\n[{ "delay": 5 }]',
      "const results = await deckhand.workflows.executeBatch('a', [ { delay: 5 } ]);",
    ],
    [
      'GET /api/executions/a/events\nx-api-key: k',
      "for await (const { status } of deckhand.runs.of('a').events()) console.log(status);",
    ],
  ])('start and follow runs with the client: %j', (message, expected) => {
    const found = examplesOf(message, operations).find(({ label }) => label === 'SDK');
    expect(found?.text.split('\n')[0]).toBe(expected);
  });

  it('with a session, or of an unknown operation, are not for the SDK', () => {
    for (const message of ['GET /api/auth/me\nauthorization: Bearer a', 'GET /api/nothing\nx-api-key: k']) {
      expect(examplesOf(message, operations).map(({ label }) => label)).toEqual(['HTTP', 'curl']);
    }
  });

  it('to an address that is a placeholder, such as that of a webhook, are for curl', () => {
    const [, curl, ...others] = examplesOf('POST <webhookUrl>\n\n{}', operations);
    expect(curl?.text).toBe("curl -X POST '<webhookUrl>' \\\n  -H 'content-type: application/json' \\\n  -d '{}'");
    expect(others).toEqual([]);
  });

  it('are none for a response', () => {
    expect(examplesOf('HTTP/1.1 200 OK\n\n{}', operations)).toEqual([]);
  });
});
