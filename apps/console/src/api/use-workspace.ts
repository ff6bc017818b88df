import { type Permission, type Role, roleMay, type User } from '@deckhand/contracts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { meQuery } from './people.ts';

/** The workspace of the page, and the person's permissions there. */
export interface Workspace {
  readonly workspaceId: string;
  readonly name: string;
  readonly role: Role;
  readonly user: User;
  readonly can: (permission: Permission) => boolean;
}

/** The workspace in the URL; a person who is not a member sees what a viewer does, and gets errors of the API. */
export function useWorkspace(): Workspace {
  const { workspaceId = '' } = useParams({ strict: false });
  const { user, workspaces } = useSuspenseQuery(meQuery).data;
  const found = workspaces.find((workspace) => workspace.workspaceId === workspaceId);
  const role = found?.role ?? 'viewer';
  return { workspaceId, name: found?.name ?? '', role, user, can: (permission) => roleMay(role, permission) };
}
