import { AnyJson, FolderEntry, pageOf, WorkflowEntry } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import Type, { type TSchema } from 'typebox';
import type { Operation } from '../http/route.ts';
import { Components } from './components.ts';

function returning(...schemas: TSchema[]): Operation[] {
  return schemas.map((schema) => ({ summary: '', description: '', responses: { 200: schema } }));
}

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe('the names of schemas', () => {
  it('are those of contracts, and of responses end in Response', () => {
    const components = new Components(returning(FolderEntry, pageOf(FolderEntry), pageOf(WorkflowEntry)));
    expect(components.refer(FolderEntry)).toEqual(refTo('FolderResponse'));
    expect(components.refer(pageOf(FolderEntry))).toMatchObject({
      properties: { data: { type: 'array', items: refTo('FolderResponse') } },
    });
    // Only items of a page, never a response.
    expect(components.refer(WorkflowEntry)).toEqual(refTo('WorkflowEntry'));
  });

  it('stay with optional and described copies of a schema', () => {
    const components = new Components([]);
    expect(components.refer(Type.Optional(WorkflowEntry))).toEqual(refTo('WorkflowEntry'));
    expect(components.refer({ ...WorkflowEntry, description: 'The workflow' })).toEqual({
      ...refTo('WorkflowEntry'),
      description: 'The workflow',
    });
    expect(Object.keys(components.schemas())).toEqual(['WorkflowEntry']);
    expect(components.schemas().WorkflowEntry).not.toHaveProperty('description');
  });

  it('are needed by every response: the API does not start without', () => {
    const unnamed = Type.Object({ anything: Type.String() });
    expect(() => new Components(returning(unnamed))).toThrow('must export the schema of each response');
    expect(() => new Components(returning(pageOf(unnamed)))).toThrow('must export the schema of each response');
  });
});

describe('what generators need said', () => {
  it('is a type for any JSON value', () => {
    const components = new Components([]);
    expect(components.refer(AnyJson)).toEqual(refTo('JsonValue'));
    expect(components.refer(Type.Unknown({ description: 'The output' }))).toEqual({
      ...refTo('JsonValue'),
      description: 'The output',
    });
    expect(components.schemas().JsonValue).toHaveProperty('anyOf');
  });

  it('is what the values of a map are', () => {
    const map = Type.Record(Type.String(), Type.Integer());
    expect(new Components([]).refer(map)).toEqual({ type: 'object', additionalProperties: { type: 'integer' } });
  });
});
