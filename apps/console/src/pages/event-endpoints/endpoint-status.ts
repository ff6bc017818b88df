import type { EventEndpoint } from '@deckhand/contracts';
import type { EndpointStatus } from '../../components/status-badge.js';

/** Returns the status of an endpoint. */
export function statusOf({ enabled, failingSince }: EventEndpoint): EndpointStatus {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'enabled' : 'failing';
}

const REASONS: Readonly<Record<NonNullable<EventEndpoint['disabledReason']>, string>> = {
  person: 'Disabled by a member.',
  gone: 'Disabled because it responded with 410 Gone.',
  failing: 'Disabled because no delivery succeeded for days.',
};

/** Returns why an endpoint receives no events; undefined if it does. */
export function describeReason({ disabledReason }: EventEndpoint): string | undefined {
  return disabledReason === null ? undefined : REASONS[disabledReason];
}
