import { type JsonValue, nullable } from '@deckhand/contracts';
import Type from 'typebox';

/** An event that was sent to the workspace, as the output of a node. */
export const EventOutput = Type.Object({
  id: Type.String(),
  name: Type.String(),
  key: nullable(Type.String()),
  data: Type.Unsafe<JsonValue>({}),
  receivedAt: Type.String(),
});
