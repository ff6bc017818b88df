import type { MemberEntry, Role } from '@deckhand/contracts';

/** The columns of a member's entry. */
export const WITH_USER = { user: { select: { email: true, name: true } } } as const;

interface Row {
  readonly userId: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly user: { readonly email: string; readonly name: string };
}

/** Converts a member to its entry in lists. */
export function toMemberEntry({ userId, role, createdAt, user }: Row): MemberEntry {
  return { userId, email: user.email, name: user.name, role, createdAt: createdAt.toISOString() };
}
