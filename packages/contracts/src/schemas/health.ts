import Type from 'typebox';
import { oneOf } from './common.js';

/** Answer of GET /healthz. */
export const LiveAnswer = Type.Object({ status: oneOf(['ok']) });

/** Answer of GET /readyz: each check by name. */
export const ReadyAnswer = Type.Object({
  status: oneOf(['ready', 'not ready']),
  checks: Type.Record(Type.String(), Type.Boolean()),
});
