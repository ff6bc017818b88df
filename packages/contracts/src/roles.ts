/** Roles in a workspace. Each has all permissions of the ones before it. */
export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** Returns true if `role` has the permissions of `needed`. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
