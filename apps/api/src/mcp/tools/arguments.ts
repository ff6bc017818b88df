import Type from 'typebox';

export { CLOSED } from '@deckhand/contracts';

/** An id. */
export const Uuid = Type.String({ format: 'uuid' });

/** The workspace that a call is about. */
export const WORKSPACE = {
  workspaceId: Type.Optional({
    ...Uuid,
    description: 'By default the workspace of the key or of the URL, or the only one',
  }),
};

/** The page of a list. */
export const PAGE = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
};
