import Type, { type Static } from 'typebox';
import type { JsonObject } from '../json.ts';
import { AnyObject, nullable, oneOf } from './common.ts';
import { CREDENTIAL_TYPES } from './credential-secrets.ts';

/** A node type as GET /api/node-types lists it, for forms and agents. */
export const NodeTypeEntry = Type.Object({
  type: Type.String(),
  title: Type.String(),
  description: Type.String(),
  keywords: Type.Array(Type.String(), { description: 'Words to search it by, beside those of its title' }),
  category: Type.String(),
  hasEffects: Type.Boolean({ description: 'Whether it has effects outside; it has none in sandbox mode' }),
  isTrigger: Type.Boolean(),
  handles: Type.Array(Type.String(), { description: 'Outputs that edges can name' }),
  undecidedHandle: nullable(Type.String(), {
    description:
      'The output that a node with several takes while it is disabled, or after an error with `onError: "continue"`; null if it takes none',
  }),
  credentialTypes: Type.Array(oneOf(CREDENTIAL_TYPES), {
    description: 'Types of credentials that `credentialId` may name; empty if it uses no credential',
  }),
  parameters: Type.Unsafe<JsonObject>({ ...AnyObject, description: 'A JSON Schema' }),
});

export type NodeTypeEntry = Static<typeof NodeTypeEntry>;
