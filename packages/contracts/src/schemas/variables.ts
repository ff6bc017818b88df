import Type, { type Static } from 'typebox';
import { CLOSED, Id, pageQuery, Time } from './common.ts';

/** A name that expressions can read as `$vars.name`. */
const Name = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' });
const Value = Type.String({ maxLength: 65_536 });

export const CreateVariableBody = Type.Object({ workspaceId: Id, name: Name, value: Value }, CLOSED);
export const UpdateVariableBody = Type.Object(
  { name: Type.Optional(Name), value: Type.Optional(Value) },
  { ...CLOSED, minProperties: 1 },
);

/** The query of lists of what one workspace holds. */
export const InWorkspaceQuery = Type.Object({ workspaceId: Id, ...pageQuery() });

/** A variable of a workspace. */
export const VariableEntry = Type.Object({
  id: Id,
  workspaceId: Id,
  name: Type.String(),
  value: Type.String(),
  createdAt: Time,
  updatedAt: Time,
});

/** A workflow whose expressions read a variable. */
export const VariableUse = Type.Object({ workflowId: Id, name: Type.String() });
export const VariableUses = Type.Object({ data: Type.Array(VariableUse) });

export type VariableUse = Static<typeof VariableUse>;
export type CreateVariableBody = Static<typeof CreateVariableBody>;
export type UpdateVariableBody = Static<typeof UpdateVariableBody>;
export type InWorkspaceQuery = Static<typeof InWorkspaceQuery>;
export type VariableEntry = Static<typeof VariableEntry>;
