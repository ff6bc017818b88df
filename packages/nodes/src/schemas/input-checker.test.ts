import { describe, expect, it } from '@jest/globals';
import { createInputChecker } from './input-checker.ts';
import type { SchemaChecker } from './schema-checker.ts';

/** Checks trigger data against a schema. @returns the issues, and whether a thread found them. */
async function check(schema: object, trigger: unknown, member?: string) {
  let isOnThread = false;
  const onThread: SchemaChecker = {
    check(_workspaceId, { details, data }) {
      isOnThread = true;
      return Promise.resolve({ issues: [{ path: '', message: `${details} ${JSON.stringify(data)}`.slice(0, 5) }] });
    },
    close: () => Promise.resolve(),
  };
  const input = { workspaceId: 'w', workflowVersionId: 'v', triggerNodeId: 't' };
  const inputSchema = JSON.stringify({ schema, member });
  const { issues } = await createInputChecker(onThread)(JSON.stringify(trigger), { ...input, inputSchema });
  return { issues, isOnThread };
}

const NAMED = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const NODE = { properties: { inner: { $ref: '#/$defs/node' } } };

describe('the check of an input', () => {
  it.each([
    ['fits', NAMED, { name: 'Ada' }, undefined, []],
    ['does not fit', NAMED, { name: 5 }, undefined, ['name: must be string']],
    ['of a member does not fit', NAMED, { body: {} }, 'body', ['body.name: is required']],
    ['of a member is an item', { items: NAMED }, { body: [{}] }, 'body', ['body[0].name: is required']],
    ['of a member is another type', { type: 'array' }, { body: 'text' }, 'body', ['body: must be array']],
    ['has no such member', NAMED, { query: {} }, 'body', ['body: is required']],
  ])('that %s', async (_name, schema, trigger, member, expected) => {
    const { issues, isOnThread } = await check(schema, trigger, member);
    expect(issues.map(({ path, message }) => `${path}: ${message}`)).toEqual(expected);
    expect(isOnThread).toBe(false);
  });

  it.each([
    ['a schema that refers to itself', { $ref: '#/$defs/node', $defs: { node: NODE } }, {}],
    ['a large schema', { anyOf: Array.from({ length: 490 }, (_, n) => ({ required: [`p${n}`, 'q', 'r', 's'] })) }, {}],
    ['a large input', NAMED, { name: 'x'.repeat(2_000_000) }],
  ])('is made on a thread for %s', async (_name, schema, trigger) => {
    expect((await check(schema, trigger)).isOnThread).toBe(true);
  });
});
