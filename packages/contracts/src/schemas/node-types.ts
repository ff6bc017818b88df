import Type from 'typebox';
import { AnyObject } from './common.js';

/** A node type as GET /api/node-types lists it, for forms and agents. */
export const NodeTypeEntry = Type.Object({
  type: Type.String(),
  title: Type.String(),
  description: Type.String(),
  category: Type.String(),
  hasEffects: Type.Boolean({ description: 'Acts outside the run, so it does nothing in sandbox mode' }),
  isTrigger: Type.Boolean(),
  handles: Type.Array(Type.String(), { description: 'Ways out that edges can name' }),
  parameters: Type.Unsafe<object>({ ...AnyObject, description: 'A JSON Schema' }),
});
