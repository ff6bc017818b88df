import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';

const MAX_ATTEMPTS = 3;

/** What is known of the service, and for how long without asking again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
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

/** Whether asking again could help: refusals stay refusals. */
function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}
