/**
 * Roles in a workspace, about from the one that may do the least. `permissions.ts` says what each may do: some have
 * permissions that the next one lacks.
 */
export const ROLES = ['approver', 'viewer', 'operator', 'publisher', 'author', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** The roles that an identity provider may give: owners are made by people. */
export const SIGN_ON_ROLES = ['approver', 'viewer', 'operator', 'publisher', 'author', 'editor', 'admin'] as const;
