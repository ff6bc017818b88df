/** Roles in a workspace, from the one that may do the least. `permissions.ts` says what each may do. */
export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];
