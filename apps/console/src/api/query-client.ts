import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const MAX_ATTEMPTS = 3;

/** The cache of responses, and how long they are fresh. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Offline, the person gets the error at once, instead of waiting for a connection.
      mutations: { networkMode: 'always' },
      queries: {
        staleTime: 2_000,
        retry: (failures, error) => failures < MAX_ATTEMPTS && mayPass(error),
        retryDelay: (failures, error) => {
          const after = error instanceof ApiError ? error.retryAfter : undefined;
          return after === undefined ? 500 * 2 ** failures : after * 1_000;
        },
      },
    },
  });
}

/** Returns true if a retry could help: a 4xx never changes. */
function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}
