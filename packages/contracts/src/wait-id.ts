/** What tells waits of a run apart. */
export interface WaitPlace {
  readonly executionId: string;
  readonly nodeId: string;
  /** "" outside loops, "2" in one, "2.0" in one within another. */
  readonly iteration: string;
}

/** The id of a wait for a person: nodes wait once for each iteration. */
export function waitIdOf({ executionId, nodeId, iteration }: WaitPlace): string {
  return [executionId, nodeId, ...(iteration === '' ? [] : [iteration])].join(':');
}

/** Which iteration of a node an id of `waitIdOf` names; undefined when it is none of that node's. */
export function iterationOfWait(waitId: string, node: Omit<WaitPlace, 'iteration'>): string | undefined {
  const outside = waitIdOf({ ...node, iteration: '' });
  if (waitId === outside) return '';
  return waitId.startsWith(`${outside}:`) ? waitId.slice(outside.length + 1) : undefined;
}

/** An iteration as responses show it: null outside loops, a number in one, "outer.inner" in nested ones. */
export function shownIteration(iteration: string): number | string | null {
  if (iteration === '') return null;
  return iteration.includes('.') ? iteration : Number(iteration);
}
