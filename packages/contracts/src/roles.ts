/** Roles in a workspace, each with all that the ones before it may do. */
export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** True when `role` may do what `needed` may. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
