import Type, { type Static } from 'typebox';
import { CLOSED, Id, nullable, Time } from './common.js';

/** The last part of a webhook's URL. */
const Path = Type.String({ pattern: '^[A-Za-z0-9_-]{8,128}$' });

/** Body of POST /api/workflows/{id}/webhooks/{nodeId}/url. */
export const ChangeWebhookUrlBody = Type.Object(
  { path: Type.Optional({ ...Path, description: 'The last part of the URL; made up without one' }) },
  CLOSED,
);

/** A webhook's URL. */
export const WebhookUrl = Type.Object({ nodeId: Type.String(), url: Type.String() });

/** A test URL, open until a time. */
export const WebhookTestUrl = Type.Object({ nodeId: Type.String(), url: Type.String(), expiresAt: Time });

/** A request to a webhook and what became of it. */
export const WebhookDelivery = Type.Object({
  id: Id,
  nodeId: Type.String(),
  at: Time,
  isTest: Type.Boolean({ description: 'It came to the test URL' }),
  method: Type.String(),
  status: { ...nullable(Type.Integer()), description: 'Null when the caller went away before its answer' },
  durationMs: Type.Integer({ description: 'From the first byte to the end of the answer' }),
  executionId: nullable(Id),
  errorCode: nullable(Type.String()),
});

export type ChangeWebhookUrlBody = Static<typeof ChangeWebhookUrlBody>;
export type WebhookTestUrl = Static<typeof WebhookTestUrl>;
export type WebhookDelivery = Static<typeof WebhookDelivery>;
