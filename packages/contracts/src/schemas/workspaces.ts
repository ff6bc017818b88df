import Type, { type Static } from 'typebox';
import { CLOSED, Id, nullable, oneOf, Time } from './common.ts';
import { ROLES } from '../roles.ts';

const Name = Type.String({ minLength: 1, maxLength: 200 });
const ErrorWorkflow = nullable(Id, {
  description: 'The workflow that is started when a run of a workflow fails that names none; null for none',
});

export const CreateWorkspaceBody = Type.Object({ name: Name }, CLOSED);

export const UpdateWorkspaceBody = Type.Object(
  { name: Type.Optional(Name), errorWorkflowId: Type.Optional(ErrorWorkflow) },
  CLOSED,
);

/** A workspace as its members see it. */
export const WorkspaceEntry = Type.Object({
  id: Id,
  workspaceId: Id,
  name: Type.String(),
  role: oneOf(ROLES),
  errorWorkflowId: ErrorWorkflow,
  createdAt: Time,
});

export type CreateWorkspaceBody = Static<typeof CreateWorkspaceBody>;
export type UpdateWorkspaceBody = Static<typeof UpdateWorkspaceBody>;
export type WorkspaceEntry = Static<typeof WorkspaceEntry>;
