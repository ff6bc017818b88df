import Type, { type Static } from 'typebox';
import { EVENT_TYPES, TEST_EVENT_TYPE } from '../event-types.ts';
import { CLOSED, ExecutionStatusSchema, GivenTime, Id, nullable, oneOf, pageQuery, severalOf, Time } from './common.ts';
import { Tags } from './start-options.ts';

/** Maximum number of endpoints of a workspace: each multiplies the events of a run. */
export const MAX_EVENT_ENDPOINTS = 20;
/** Maximum time for which a former secret stays valid after a rotation. */
const MAX_OVERLAP_SECONDS = 604_800;
const DAY_SECONDS = 86_400;

/** How the events of an endpoint are signed. */
export const SIGNATURE_SCHEMES = ['v1', 'v1a'] as const;

export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** Whether and how a delivery ended. */
export const EVENT_DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export type EventDeliveryStatus = (typeof EVENT_DELIVERY_STATUSES)[number];

/** Why an endpoint receives no events. */
export const EVENT_ENDPOINT_DISABLED_REASONS = ['person', 'gone', 'failing'] as const;

const Scheme = oneOf(SIGNATURE_SCHEMES, {
  description: 'v1: HMAC-SHA256 with a shared secret; v1a: ed25519, verified with a public key',
});

/** A URL that events are sent to. */
export const EventUrl = Type.String({
  maxLength: 2_048,
  // Without user names and passwords, which a request could not contain.
  pattern: '^https?://[^\\s/?#@\\\\]+([/?#][^\\s]*)?$',
  description: 'http or https. Redirects are not followed, and addresses that http nodes may not reach are refused',
});
const Description = Type.String({ maxLength: 500 });
const EventTypes = nullable(Type.Array(oneOf(EVENT_TYPES), { minItems: 1, uniqueItems: true }), {
  description: 'Types of events to send; null sends all, including types that are added later',
});
const WorkflowIds = nullable(Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }), {
  description: 'Workflows whose events are sent; null sends those of all',
});

const OfTags = nullable(Type.Array(Tags.items, { minItems: 1, maxItems: 100, uniqueItems: true }), {
  description: 'Only events of runs that have one of these tags; null sends those of all, and of workflows',
});

export const CreateEventEndpointBody = Type.Object(
  {
    workspaceId: Id,
    url: EventUrl,
    description: Type.Optional(Description),
    eventTypes: Type.Optional(EventTypes),
    workflowIds: Type.Optional(WorkflowIds),
    tags: Type.Optional(OfTags),
    signature: Type.Optional(Scheme),
  },
  CLOSED,
);

export const UpdateEventEndpointBody = Type.Object(
  {
    url: Type.Optional(EventUrl),
    description: Type.Optional(Description),
    eventTypes: Type.Optional(EventTypes),
    workflowIds: Type.Optional(WorkflowIds),
    tags: Type.Optional(OfTags),
    enabled: Type.Optional(
      Type.Boolean({ description: 'true also enables an endpoint that was disabled because it failed' }),
    ),
  },
  { ...CLOSED, minProperties: 1 },
);

/** A URL that receives the events of a workspace. */
export const EventEndpoint = Type.Object({
  id: Id,
  workspaceId: Id,
  url: Type.String(),
  description: Type.String(),
  eventTypes: nullable(Type.Array(Type.String())),
  workflowIds: nullable(Type.Array(Id)),
  tags: nullable(Type.Array(Type.String())),
  enabled: Type.Boolean(),
  disabledAt: nullable(Time),
  disabledReason: nullable(oneOf(EVENT_ENDPOINT_DISABLED_REASONS), {
    description: 'person: by a request; gone: it responded with 410; failing: no attempt succeeded for days',
  }),
  failingSince: nullable(Time, { description: 'The first failed attempt since the last successful one' }),
  createdAt: Time,
  updatedAt: Time,
});

/** A secret as its receiver needs it. */
export const EventSecret = Type.Object({
  signature: Scheme,
  secret: nullable(Type.String(), { description: 'With v1: `whsec_` and the shared secret in base64' }),
  publicKey: nullable(Type.String(), { description: 'With v1a: `whpk_` and the public key in base64' }),
  createdAt: Time,
  expiresAt: nullable(Time, { description: 'When a rotation ends it; null for the current one' }),
});

/** A new endpoint, with its secret. */
export const CreatedEventEndpoint = Type.Object({ ...EventEndpoint.properties, secret: EventSecret });

/** The secrets with which events are signed at present, the current one first. */
export const EventSecretList = Type.Object({ data: Type.Array(EventSecret) });

export const RotateEventSecretBody = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_SECONDS,
        default: DAY_SECONDS,
        description: 'For how long events are also signed with the former secret; a day by default',
      }),
    ),
    signature: Type.Optional(Scheme),
  },
  CLOSED,
);

/** One attempt to deliver an event. */
export const EventAttempt = Type.Object({
  at: Time,
  status: nullable(Type.Integer(), { description: 'Status of the response; null without one' }),
  durationMs: Type.Integer(),
  error: nullable(Type.String(), { description: 'Why it failed; null for a success' }),
});

/** The body of an event: what happened to what, and where to read more. */
export const EventPayload = Type.Object({
  type: oneOf([...EVENT_TYPES, TEST_EVENT_TYPE]),
  timestamp: { ...Time, description: 'When it happened' },
  data: Type.Object({
    workspaceId: Id,
    workflowId: Type.Optional(Id),
    executionId: Type.Optional(Id),
    status: Type.Optional(ExecutionStatusSchema),
    nodeId: Type.Optional(Type.String({ description: 'The node that waits or waited for a person' })),
    iteration: Type.Optional(nullable(Type.String(), { description: 'null outside loops' })),
    etag: Type.Optional(Type.String({ description: 'The ETag of the run after the event' })),
    link: Type.String({ description: 'Where to read the run, the workflow or, for a test, the endpoint' }),
  }),
});

/** An event for one endpoint. */
export const EventDelivery = Type.Object({
  id: Id,
  webhookId: Type.String({ description: 'The header `webhook-id`, the same for every attempt and replay' }),
  endpointId: Id,
  type: oneOf([...EVENT_TYPES, TEST_EVENT_TYPE]),
  workflowId: nullable(Id),
  executionId: nullable(Id),
  nodeId: nullable(Type.String()),
  occurredAt: Time,
  status: oneOf(EVENT_DELIVERY_STATUSES),
  attemptCount: Type.Integer({ description: 'Attempts begun since the event occurred, or was replayed' }),
  nextAttemptAt: nullable(Time, { description: 'null once it was delivered or has failed' }),
  finishedAt: nullable(Time),
  attempts: Type.Array(EventAttempt, { description: 'The latest attempts, the earliest first' }),
});

const {
  endpointId: _endpointId,
  workflowId: _workflowId,
  executionId: _executionId,
  nodeId: _nodeId,
  ...ofCallback
} = EventDelivery.properties;

/** The end of a run, sent to the URL that its start named. */
export const Callback = Type.Object(ofCallback);

/** The callbacks of a run. */
export const CallbackList = Type.Object({ data: Type.Array(Callback) });

export const ListEventDeliveriesQuery = Type.Object({
  status: Type.Optional(severalOf(EVENT_DELIVERY_STATUSES, 'Only deliveries with one of these statuses')),
  type: Type.Optional(severalOf([...EVENT_TYPES, TEST_EVENT_TYPE], 'Only events of these types')),
  executionId: Type.Optional(Id),
  ...pageQuery(),
});

export const ReplayEventsBody = Type.Object(
  {
    since: GivenTime,
    until: Type.Optional(GivenTime),
    status: Type.Optional(
      oneOf(['failed', 'delivered', 'all'], {
        default: 'failed',
        description: 'Which deliveries of that time: by default those that have failed',
      }),
    ),
  },
  CLOSED,
);

/** The result of a replay. */
export const ReplayEventsResponse = Type.Object({
  replayed: Type.Integer(),
  nextSince: nullable(Time, {
    description: 'Set if the time has more of them: send the request again with this time as `since`',
  }),
});

export type CreateEventEndpointBody = Static<typeof CreateEventEndpointBody>;
export type UpdateEventEndpointBody = Static<typeof UpdateEventEndpointBody>;
export type EventEndpoint = Static<typeof EventEndpoint>;
export type CreatedEventEndpoint = Static<typeof CreatedEventEndpoint>;
export type EventSecret = Static<typeof EventSecret>;
export type RotateEventSecretBody = Static<typeof RotateEventSecretBody>;
export type EventPayload = Static<typeof EventPayload>;
export type EventAttempt = Static<typeof EventAttempt>;
export type EventDelivery = Static<typeof EventDelivery>;
export type Callback = Static<typeof Callback>;
export type CallbackList = Static<typeof CallbackList>;
export type ListEventDeliveriesQuery = Static<typeof ListEventDeliveriesQuery>;
export type ReplayEventsBody = Static<typeof ReplayEventsBody>;
export type ReplayEventsResponse = Static<typeof ReplayEventsResponse>;
