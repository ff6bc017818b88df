/** Which outputs of branching nodes a run may have taken to come somewhere, by the id of the node. */
export type Route = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns true if no run comes both ways. */
export function areExclusive(one: Route, other: Route): boolean {
  return [...one].some(([id, handles]) => [...(other.get(id) ?? handles)].every((each) => !handles.has(each)));
}

/** Returns true if every run that comes one way also comes, or came, the other. */
export function isWithin(one: Route, other: Route): boolean {
  return [...other].every(([id, handles]) => isSubset(one.get(id), handles));
}

/**
 * Returns what all routes have in common.
 * @param handlesOf returns all outputs of a node, one of which each run takes.
 */
export function commonRoute(
  routes: readonly Route[],
  handlesOf: (id: string) => ReadonlySet<string> | undefined,
): Route {
  const [first = new Map<string, ReadonlySet<string>>(), ...rest] = routes;
  const common = new Map<string, ReadonlySet<string>>();
  for (const [id, own] of first) {
    const all = rest.map((route) => route.get(id));
    if (!all.every((each) => each !== undefined)) continue;
    const handles = new Set([own, ...all].flatMap((each) => [...each]));
    if (!isSubset(handlesOf(id), handles)) common.set(id, handles);
  }
  return common;
}

/** Returns whether there are elements, all of which another set has. */
function isSubset(some: ReadonlySet<string> | undefined, all: ReadonlySet<string>): boolean {
  return some !== undefined && [...some].every((each) => all.has(each));
}
