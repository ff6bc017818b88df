import { useState } from 'react';
import { type FleetDetails, addSample, type Seen } from './seen.ts';

/**
 * Returns the history of the fleet since the page was opened; the API keeps none.
 * @param at when the response was received, Unix time in ms.
 */
export function useSeen(fleet: FleetDetails, at: number): Seen {
  const [{ seen, upTo }, keep] = useState<{ seen: Seen; upTo: number }>(() => ({
    seen: addSample({ workers: [], samples: [] }, fleet, at),
    upTo: at,
  }));
  if (at <= upTo) return seen;
  const next = addSample(seen, fleet, at);
  // Derived from props, so it is stored while rendering: https://react.dev/reference/react/useState#storing-
  // information-from-previous-renders
  keep({ seen: next, upTo: at });
  return next;
}
