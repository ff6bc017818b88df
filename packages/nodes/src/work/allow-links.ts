import type { JsonObject, ValidationIssue } from '@deckhand/contracts';
import Type from 'typebox';

/** The parameter of nodes that ask a person: whether the holder of a link may answer. */
export const ALLOW_LINKS = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Whether it may be answered by its link, `$links.<id>`, which needs no account',
  }),
);

/** Returns the issue of an `allowLinks` that is computed: who may answer is known when a version is saved. */
export function linkParameterIssues({ allowLinks }: JsonObject): ValidationIssue[] {
  if (typeof allowLinks !== 'string' || !allowLinks.includes('{{')) return [];
  return [{ path: 'allowLinks', message: 'must be true or false, not an expression' }];
}

/** Returns the part of a wait's details that permits answers through a link. */
export function linkDetails(allowLinks: boolean | undefined): { allowLinks?: true } {
  return allowLinks === true ? { allowLinks } : {};
}
