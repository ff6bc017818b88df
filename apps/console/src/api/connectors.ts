import type {
  ConnectorChoices,
  ConnectorEntry,
  ListChoicesBody,
  OperationDetails,
  OperationEntry,
  PageOf,
} from '@deckhand/contracts';
import { hashKey, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** How long what a service listed is used again, in ms: people open the same list several times. */
const CHOICES_MS = 60_000;

/** The connectors that workflows of a workspace can use, the built-in ones among them. */
export const connectorsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['connectors', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<ConnectorEntry>>('GET', '/api/connectors', { query: { workspaceId, limit: 500 }, signal }),
  });

/** What names a version of a connector. */
export interface ConnectorVersion {
  readonly workspaceId: string;
  readonly connector: string;
  readonly version: string;
}

/** The operations of a version of a connector. */
export const operationsQuery = (of: ConnectorVersion) =>
  queryOptions({
    queryKey: ['connector-operations', of],
    queryFn: ({ signal }) =>
      call<PageOf<OperationEntry>>('GET', `/api/connectors/${of.connector}/versions/${of.version}/operations`, {
        query: { workspaceId: of.workspaceId, limit: 500 },
        signal,
      }),
    // A version of a connector never changes.
    staleTime: Infinity,
  });

/** An operation with the schema of its values. */
export const operationQuery = (of: ConnectorVersion, operation: string) =>
  queryOptions({
    queryKey: ['connector-operation', of, operation],
    queryFn: ({ signal }) =>
      call<OperationDetails>('GET', `/api/connectors/${of.connector}/versions/${of.version}/operations/${operation}`, {
        query: { workspaceId: of.workspaceId },
        signal,
      }),
    staleTime: Infinity,
    retry: false,
  });

/** Choices of a field, as its service lists them. */
export const choicesQuery = ({ search, ...request }: Omit<ListChoicesBody, 'cursor'>) =>
  infiniteQueryOptions({
    queryKey: ['connector-choices', request, search],
    queryFn: ({ pageParam, signal }) =>
      call<ConnectorChoices>('POST', '/api/connectors/options', {
        body: {
          ...request,
          ...(search !== undefined && { search }),
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: CHOICES_MS,
    // While a search runs, the choices before it stay.
    placeholderData: (previous, query) =>
      query && hashKey([query.queryKey[1]]) === hashKey([request]) ? previous : undefined,
    retry: false,
  });
