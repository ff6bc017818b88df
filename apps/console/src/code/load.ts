import { queryOptions } from '@tanstack/react-query';

/**
 * The editors, which are loaded when a form first has a field for them. Until then, and if that fails, text areas do.
 */
export const editorsQuery = queryOptions({
  queryKey: ['editors'],
  queryFn: () => import('./editors.ts'),
  staleTime: Infinity,
  gcTime: Infinity,
});
