import type {
  CreatedEventEndpoint,
  CreateEventEndpointBody,
  EventDelivery,
  EventEndpoint,
  EventSecret,
  PageOf,
  ReplayEventsBody,
  ReplayEventsResponse,
  UpdateEventEndpointBody,
} from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** Polling interval of deliveries, in ms. */
const LIVE_MS = 2_000;

/** The event endpoints of a workspace. */
export const eventEndpointsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['event-endpoints', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<EventEndpoint>>('GET', '/api/event-endpoints', { query: { workspaceId, limit: 100 }, signal }),
  });

/** An event endpoint. */
export const eventEndpointQuery = (id: string) =>
  queryOptions({
    queryKey: ['event-endpoint', id],
    queryFn: ({ signal }) => call<EventEndpoint>('GET', `/api/event-endpoints/${id}`, { signal }),
    refetchInterval: LIVE_MS,
  });

/** The latest deliveries of an endpoint. */
export const eventDeliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['event-endpoint', id, 'deliveries'],
    queryFn: ({ signal }) =>
      call<PageOf<EventDelivery>>('GET', `/api/event-endpoints/${id}/deliveries`, { query: { limit: 100 }, signal }),
    refetchInterval: LIVE_MS,
  });

export const createEventEndpoint = (body: CreateEventEndpointBody): Promise<CreatedEventEndpoint> =>
  call('POST', '/api/event-endpoints', { body });
export const updateEventEndpoint = (id: string, body: UpdateEventEndpointBody): Promise<EventEndpoint> =>
  call('PATCH', `/api/event-endpoints/${id}`, { body });
export const deleteEventEndpoint = (id: string): Promise<null> => call('DELETE', `/api/event-endpoints/${id}`);
export const rotateEventSecret = (id: string): Promise<EventSecret> =>
  call('POST', `/api/event-endpoints/${id}/rotate-secret`, { body: {} });
export const sendTestEvent = (id: string): Promise<EventDelivery> => call('POST', `/api/event-endpoints/${id}/test`);
export const replayDelivery = (id: string, deliveryId: string): Promise<EventDelivery> =>
  call('POST', `/api/event-endpoints/${id}/deliveries/${deliveryId}/replay`);
export const replayDeliveries = (id: string, body: ReplayEventsBody): Promise<ReplayEventsResponse> =>
  call('POST', `/api/event-endpoints/${id}/replay`, { body });
