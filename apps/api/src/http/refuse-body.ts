import type { Request } from 'express';
import { compileBody } from '@deckhand/contracts';
import Type from 'typebox';
import { MAX_ANONYMOUS_BODY_BYTES, readOptionalBody } from './read-body.ts';

const parse = compileBody(Type.Object({}, { additionalProperties: false }));

/**
 * Checks the body of an operation that takes none. No body and an empty object are accepted.
 * @throws DeckhandError VALIDATION_FAILED naming a member.
 */
export async function refuseBody(request: Request): Promise<void> {
  parse(await readOptionalBody(request, MAX_ANONYMOUS_BODY_BYTES));
}
