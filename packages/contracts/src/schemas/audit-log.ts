import Type, { type Static } from 'typebox';
import { AnyObject, Id, nullable, pageQuery, Time } from './common.ts';

const Word = Type.String({ minLength: 1, maxLength: 100 });

export const ListAuditLogQuery = Type.Object({
  workspaceId: Id,
  action: Type.Optional(Word),
  resourceType: Type.Optional(Word),
  resourceId: Type.Optional(Word),
  userId: Type.Optional(Id),
  ...pageQuery(),
});

/** The query of GET /api/admin/audit-log. */
export const ListInstanceAuditLogQuery = Type.Object({
  ...ListAuditLogQuery.properties,
  workspaceId: Type.Optional(Id),
});

/** Who did what to which resource, when and from where. Never holds a secret. */
export const AuditLogEntry = Type.Object({
  id: Id,
  at: Time,
  workspaceId: nullable({ ...Id, description: 'null for a change that belongs to no workspace' }),
  userId: nullable(Id),
  userName: nullable(Type.String({ description: 'null after the person was deleted' })),
  userEmail: nullable(Type.String({ description: 'null after the person was deleted' })),
  apiKeyId: nullable(Id),
  apiKeyName: nullable(Type.String()),
  action: Type.String(),
  resourceType: Type.String(),
  resourceId: nullable(Type.String()),
  resourceName: nullable(
    Type.String({ description: 'Its current name, or the last one in details; null without one' }),
  ),
  details: AnyObject,
  address: Type.String(),
  requestId: Type.String(),
});

export type ListInstanceAuditLogQuery = Static<typeof ListInstanceAuditLogQuery>;
export type ListAuditLogQuery = Static<typeof ListAuditLogQuery>;
export type AuditLogEntry = Static<typeof AuditLogEntry>;
