import type { Request } from 'express';

/**
 * Returns the template of the route that matched, such as `/api/executions/:id`. Returns `other` if none did: for files
 * of the console, and unknown paths.
 */
export function routeOf(request: Request): string {
  const route: unknown = request.route;
  const isMatched = typeof route === 'object' && route !== null && 'path' in route;
  return isMatched && typeof route.path === 'string' ? route.path : 'other';
}
