import { describe, expect, it } from '@jest/globals';
import { createFileProcesses } from '../files/file-process.ts';
import { readConnector } from './read-connector.ts';

const processes = createFileProcesses(1);

const PACK = `
name: tracker
version: 1.0.0
title: Tracker
operations:
  - { id: issue.list, operation: list, title: List issues }
`;
const DOCUMENT = `
openapi: 3.1.0
servers: [{ url: https://api.example.com }]
paths: { /issues: { get: { operationId: list } } }
`;

function read(pack: string, document: string, maxMs?: number) {
  return readConnector({
    pack: { name: 'pack.yaml', text: pack },
    document: { name: 'openapi.yaml', text: document },
    processes,
    workspaceId: 'workspace',
    signal: new AbortController().signal,
    ...(maxMs !== undefined && { maxMs }),
  });
}

describe('a connector is read in a process of its own', () => {
  it('with its operations', async () => {
    expect(await read(PACK, DOCUMENT)).toMatchObject({
      texts: {
        name: 'tracker',
        operations: [{ id: 'issue.list', action: expect.stringContaining('"path":"/issues"') }],
      },
    });
  });

  it('with the issues of its files', async () => {
    expect(await read(PACK.replace(': list,', ': lst,'), DOCUMENT)).toEqual({
      issues: [
        { file: 'pack.yaml', path: 'operations[0].operation', message: '"lst" is not an operation of openapi.yaml' },
      ],
    });
  });

  /** A pack of operations that are all the same one of its document, whose body has the members. */
  function repeated(count: number, members: Record<string, unknown>) {
    const operation = { operation: 'list', title: 'List', fields: { body: { default: {} } } };
    const operations = Array.from({ length: count }, (_, index) => ({ id: `issue.list${index}`, ...operation }));
    const schema = { type: 'object', properties: members };
    const post = { operationId: 'list', requestBody: { content: { 'application/json': { schema } } } };
    const document = {
      openapi: '3.1.0',
      servers: [{ url: 'https://api.example.com' }],
      paths: { '/issues': { post } },
    };
    return [
      JSON.stringify({ name: 'tracker', version: '1.0.0', title: 'Tracker', operations }),
      JSON.stringify(document),
    ] as const;
  }

  it('that is ended when checking the defaults of its pack takes too long', async () => {
    const part = { type: 'object', properties: { a: { type: 'string', pattern: '^a+$' } } };
    const members = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`m${index}`, part]));
    expect(await read(...repeated(1_000, members), 4_000)).toEqual({
      issues: [expect.objectContaining({ message: expect.stringContaining('takes more than 4 s to read') })],
    });
  });

  it('unless its operations together are too large', async () => {
    const choices = Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(300, '-'));
    expect(await read(...repeated(1_000, { name: { enum: choices } }))).toEqual({
      issues: [{ file: 'pack.yaml', path: 'operations', message: 'are too many, or too large' }],
    });
  });

  it('unless lists would show more than 16 KiB of it', async () => {
    const packWith = (parameters: number) => {
      const names = Array.from({ length: parameters }, (_, index) => [`p${index}`, 'x'.repeat(2_000)]);
      const oauth2 = { extraParameters: Object.fromEntries(names) };
      return `${PACK}credentials: [{ type: oauth2, title: Account, oauth2: ${JSON.stringify(oauth2)} }]\n`;
    };
    expect(await read(packWith(8), DOCUMENT)).toMatchObject({ texts: { name: 'tracker' } });
    const message = 'have, with the texts of the connector, more than 16,384 bytes';
    expect(await read(packWith(9), DOCUMENT)).toEqual({
      issues: [{ file: 'pack.yaml', path: 'credentials', message }],
    });
  });

  it('that is ended when a document takes too long', async () => {
    // The parser's time grows with the square of the brackets.
    expect(await read(PACK, '['.repeat(1_000_000), 1_500)).toEqual({
      issues: [{ file: 'openapi.yaml', path: '', message: expect.stringContaining('takes more than 1.5 s to read') }],
    });
  });

  it('with issues if a file refers to itself', async () => {
    expect(await read(`${PACK}x: &x [*x]`, DOCUMENT)).toEqual({
      issues: [expect.objectContaining({ file: 'openapi.yaml', message: expect.stringContaining('cannot be read') })],
    });
  });

  it('unless a file is too large', async () => {
    expect(await read('x'.repeat(1_048_577), DOCUMENT)).toEqual({
      issues: [{ file: 'pack.yaml', path: '', message: 'has more than 1,048,576 bytes' }],
    });
  });
});
