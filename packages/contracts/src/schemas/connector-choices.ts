import Type, { type Static } from 'typebox';
import { AnyObject, CLOSED, Id, nullable } from './common.ts';
import { CONNECTOR_NAME, CONNECTOR_OPERATION, CONNECTOR_VERSION } from './connector-packs.ts';

/** Maximum length of a cursor of choices. */
export const MAX_CHOICES_CURSOR = 20_000;

/** The field of an operation whose choices are listed. */
export const ListChoicesBody = Type.Object(
  {
    workspaceId: Id,
    connector: Type.String({ pattern: CONNECTOR_NAME, description: 'The name of the connector' }),
    version: Type.String({ pattern: CONNECTOR_VERSION, description: 'Its version' }),
    operation: Type.String({ pattern: CONNECTOR_OPERATION, description: 'The operation with the field' }),
    field: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'The path of the field, as `options` of the operation has it: `body.channel`',
    }),
    credentialId: { ...Id, description: 'The credential to list them with' },
    workflowId: Type.Optional({
      ...Id,
      description: 'The workflow that is edited, for a credential that is limited to workflows',
    }),
    values: Type.Optional(
      Type.Unsafe<Static<typeof AnyObject>>({
        ...AnyObject,
        description: 'The values of the other fields, by place: some choices depend on them',
      }),
    ),
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'A part of the label or the value, in upper or lower case' }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: MAX_CHOICES_CURSOR, description: '`next` of the last response' })),
  },
  CLOSED,
);
export type ListChoicesBody = Static<typeof ListChoicesBody>;

/** A choice of a field. */
export const ConnectorChoice = Type.Object({
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description: 'What the field gets' }),
  label: Type.String({ description: 'What people see' }),
});
export type ConnectorChoice = Static<typeof ConnectorChoice>;

/** Choices of a field. */
export const ConnectorChoices = Type.Object({
  data: Type.Array(ConnectorChoice),
  next: nullable(Type.String(), { description: 'The `cursor` of the next choices; null at the end' }),
});
export type ConnectorChoices = Static<typeof ConnectorChoices>;
