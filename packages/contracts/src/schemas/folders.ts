import Type, { type Static } from 'typebox';
import { CLOSED, Id, nullable, Time } from './common.ts';

const Name = Type.String({ minLength: 1, maxLength: 200 });

export const CreateFolderBody = Type.Object(
  { workspaceId: Id, name: Name, parentId: Type.Optional(nullable(Id)) },
  CLOSED,
);
export const UpdateFolderBody = Type.Object(
  { name: Type.Optional(Name), parentId: Type.Optional(nullable(Id)) },
  { ...CLOSED, minProperties: 1 },
);

/** A folder of workflows. */
export const FolderEntry = Type.Object({
  id: Id,
  workspaceId: Id,
  parentId: nullable(Id),
  name: Type.String(),
  createdAt: Time,
});

export type CreateFolderBody = Static<typeof CreateFolderBody>;
export type UpdateFolderBody = Static<typeof UpdateFolderBody>;
export type FolderEntry = Static<typeof FolderEntry>;
