import Type from 'typebox';
import { oneOf } from './common.ts';

/** Answer of GET /healthz. */
export const LiveResponse = Type.Object({ status: oneOf(['ok']) });

/** Answer of GET /readyz: each check by name. */
export const ReadyResponse = Type.Object({
  status: oneOf(['ready', 'not ready']),
  checks: Type.Record(Type.String(), Type.Boolean()),
});
