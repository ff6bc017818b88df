import type { Request } from 'express';

/**
 * The template of the route that matched, such as `/api/executions/:id`; `other` where none did: files of pages, and
 * what leads nowhere.
 */
export function routeOf(request: Request): string {
  const route: unknown = request.route;
  const isMatched = typeof route === 'object' && route !== null && 'path' in route;
  return isMatched && typeof route.path === 'string' ? route.path : 'other';
}
