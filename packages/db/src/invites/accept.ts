import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type Role, type User } from '@deckhand/contracts';
import type { Actor, Origin } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database, Queryable } from '../client.js';
import type { Invite } from '../generated/client.js';
import { conflictWhenTaken } from '../unique.js';
import { noSuchInvite } from './entry.js';

/** A membership created by an invite. */
export interface JoinedWorkspace {
  readonly workspaceId: string;
  readonly role: Role;
}

/** A person who creates an account with the invite. */
export interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
}

/** Returns the address that a valid invite is for. @throws DeckhandError NOT_FOUND for every other token. */
export async function readInvite(db: Database, tokenHash: string): Promise<{ readonly email: string | null }> {
  const where = { tokenHash, acceptedAt: null, expiresAt: { gt: new Date() } };
  const invite = await db.invite.findFirst({ where, select: { email: true } });
  if (!invite) throw noSuchInvite();
  return invite;
}

/**
 * Adds a signed-in person to the workspace of an invite. An invite works once: of two requests at the same time, one
 * succeeds.
 * @throws DeckhandError NOT_FOUND for a token that is not valid; FORBIDDEN when it is for another address; CONFLICT for
 * a member. Then the invite stays valid.
 */
export function acceptInvite(db: Database, actor: Actor, user: User, tokenHash: string): Promise<JoinedWorkspace> {
  return db.$transaction(async (tx) => {
    const invite = await useInvite(tx, tokenHash, user.id);
    if (invite.email !== null && invite.email !== user.email) {
      throw new DeckhandError('FORBIDDEN', { message: 'This invite is for another e-mail address' });
    }
    return join(tx, actor, invite);
  });
}

/**
 * Creates an account and adds it to the workspace of an invite: both or neither.
 * @throws DeckhandError NOT_FOUND for a token that is not valid; FORBIDDEN when it is for another address; CONFLICT for
 * an address that has an account.
 */
export function acceptInviteAsNewPerson(
  db: Database,
  person: NewPerson,
  tokenHash: string,
  origin: Origin,
): Promise<JoinedWorkspace & { readonly user: User }> {
  const id = uuidv7();
  const actor = { userId: id, boundTo: null, origin: () => origin };
  const email = person.email.toLowerCase();
  return db
    .$transaction(async (tx) => {
      const invite = await useInvite(tx, tokenHash, id);
      if (invite.email !== null && invite.email !== email) {
        throw new DeckhandError('FORBIDDEN', { message: 'This invite is for another e-mail address' });
      }
      const user = await tx.user.create({
        data: { id, email, name: person.name, passwordHash: person.passwordHash },
        select: { id: true, email: true, name: true, isAdmin: true },
      });
      return { ...(await join(tx, actor, invite)), user };
    })
    .catch(conflictWhenTaken('This e-mail address has an account: sign in to accept'));
}

/** Marks an invite as accepted. A transaction that waited for its row checks the condition again. */
async function useInvite(tx: Queryable, tokenHash: string, userId: string): Promise<Invite> {
  const now = new Date();
  const [invite] = await tx.invite.updateManyAndReturn({
    where: { tokenHash, acceptedAt: null, expiresAt: { gt: now } },
    data: { acceptedAt: now, acceptedBy: userId },
  });
  if (!invite) throw noSuchInvite();
  return invite;
}

async function join(tx: Queryable, actor: Actor, { id, workspaceId, role }: Invite): Promise<JoinedWorkspace> {
  await tx.membership
    .create({ data: { workspaceId, userId: actor.userId, role } })
    .catch(conflictWhenTaken('You are a member of this workspace already'));
  await recordChange(tx, actor, { action: 'invite.accept', workspaceId, resourceId: id, details: { role } });
  return { workspaceId, role };
}
