import type { Request } from 'express';
import { compileBody } from '@deckhand/contracts';
import Type from 'typebox';
import { OPEN_BODY_BYTES_MAX, readOptionalBody } from './read-body.js';

const parse = compileBody(Type.Object({}, { additionalProperties: false }));

/**
 * For operations that take nothing: no body and an empty object are alike, a member is a fault.
 * @throws VALIDATION_FAILED
 */
export async function refuseBody(request: Request): Promise<void> {
  parse(await readOptionalBody(request, OPEN_BODY_BYTES_MAX));
}
