import { useState } from 'react';
import { type FleetDetails, look, type Seen } from './seen.js';

/**
 * What the page has seen of the fleet since it was opened: the service keeps no history of it.
 * @param at when the answer came, Unix time in ms.
 */
export function useSeen(fleet: FleetDetails, at: number): Seen {
  const [{ seen, upTo }, keep] = useState<{ seen: Seen; upTo: number }>(() => ({
    seen: look({ workers: [], samples: [] }, fleet, at),
    upTo: at,
  }));
  if (at <= upTo) return seen;
  const next = look(seen, fleet, at);
  // Derived from what comes in, so it is kept while rendering:
  // https://react.dev/reference/react/useState#storing-information-from-previous-renders
  keep({ seen: next, upTo: at });
  return next;
}
