import Type, { type Static } from 'typebox';
import { CLOSED, Id, oneOf, Time } from './common.js';
import { ROLES } from '../roles.js';

export const CreateWorkspaceBody = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }, CLOSED);

/** A workspace as its members see it. */
export const WorkspaceEntry = Type.Object({
  id: Id,
  workspaceId: Id,
  name: Type.String(),
  role: oneOf(ROLES),
  createdAt: Time,
});

export type CreateWorkspaceBody = Static<typeof CreateWorkspaceBody>;
export type WorkspaceEntry = Static<typeof WorkspaceEntry>;
