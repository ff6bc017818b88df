import type { EventEndpoint } from '@deckhand/contracts';
import type { EndpointStatus } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';

/** Returns the status of an endpoint. */
export function statusOf({ enabled, failingSince }: EventEndpoint): EndpointStatus {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'enabled' : 'failing';
}

const REASONS: Readonly<Record<NonNullable<EventEndpoint['disabledReason']>, string>> = {
  person: i18n.t('Disabled by a member.'),
  gone: i18n.t('Disabled because it responded with 410 Gone.'),
  failing: i18n.t('Disabled because no delivery succeeded for days.'),
};

/** Returns why an endpoint receives no events; undefined if it does. */
export function describeReason({ disabledReason }: EventEndpoint): string | undefined {
  return disabledReason === null ? undefined : REASONS[disabledReason];
}
