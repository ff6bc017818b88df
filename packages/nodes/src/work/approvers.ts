import { type JsonObject, ROLES, type ValidationIssue } from '@deckhand/contracts';
import Type, { type Static } from 'typebox';

/** Matches an e-mail address, or the id of a person. */
const PERSON = '^([^@\\s]+@[^@\\s]+|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$';

const Approvers = Type.Object(
  {
    people: Type.Optional(
      Type.Array(Type.String({ maxLength: 254, pattern: PERSON }), {
        minItems: 1,
        maxItems: 100,
        description: 'E-mail addresses or ids of members',
      }),
    ),
    roles: Type.Optional(
      Type.Array(Type.Enum([...ROLES]), { minItems: 1, uniqueItems: true, description: 'Roles in the workspace' }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

/** The parameters of nodes that ask a person: which people may answer. */
export const APPROVER_PARAMETERS = {
  approvers: Type.Optional({
    ...Approvers,
    description:
      'Only these may answer: people, and everybody with one of the roles. By default everybody whose role may answer',
  }),
  fourEyes: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether whoever started the run or saved its version may not answer',
    }),
  ),
};

/** Returns the issues of who may answer: a link would let anybody, and rules are known when a version is saved. */
export function approverIssues({ approvers, fourEyes, allowLinks }: JsonObject): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if (typeof fourEyes === 'string' && fourEyes.includes('{{'))
    issues.push({ path: 'fourEyes', message: 'must be true or false, not an expression' });
  if (allowLinks === true && (approvers !== undefined || fourEyes === true))
    issues.push({ path: 'allowLinks', message: 'lets anybody answer: it goes with neither approvers nor fourEyes' });
  return issues;
}

/** Returns the part of a wait's details that limits who may answer. */
export function approverDetails({
  approvers,
  fourEyes,
}: {
  readonly approvers?: Static<typeof Approvers> | undefined;
  readonly fourEyes?: boolean | undefined;
}): { approvers?: { people: string[]; roles: string[] }; fourEyes?: true } {
  return {
    ...(approvers && {
      approvers: {
        people: (approvers.people ?? []).map((person) => person.toLowerCase()),
        roles: [...(approvers.roles ?? [])],
      },
    }),
    ...(fourEyes === true && { fourEyes }),
  };
}
