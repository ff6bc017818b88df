/** Identifies a wait of a run. */
export interface WaitPlace {
  readonly executionId: string;
  readonly nodeId: string;
  /** "" outside loops, "2" in a loop, "2.0" in a nested loop. */
  readonly iteration: string;
}

/** Returns the id of a wait for a person. A node waits once for each iteration. */
export function waitIdOf({ executionId, nodeId, iteration }: WaitPlace): string {
  return [executionId, nodeId, ...(iteration === '' ? [] : [iteration])].join(':');
}

/** Returns the wait that an id made by `waitIdOf` names. */
export function placeOfWait(waitId: string): WaitPlace {
  const [executionId = '', nodeId = '', iteration = ''] = waitId.split(':');
  return { executionId, nodeId, iteration };
}

/** Returns the iteration of a wait by its id; undefined if the id belongs to another node. */
export function iterationOfWait(waitId: string, node: Omit<WaitPlace, 'iteration'>): string | undefined {
  const outside = waitIdOf({ ...node, iteration: '' });
  if (waitId === outside) return '';
  return waitId.startsWith(`${outside}:`) ? waitId.slice(outside.length + 1) : undefined;
}

/** Returns an iteration as responses show it: null outside loops, "2" in a loop, "2.0" in nested ones. */
export function shownIteration(iteration: string): string | null {
  return iteration === '' ? null : iteration;
}
