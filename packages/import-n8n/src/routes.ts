/** Which outputs of branching nodes a run may have taken to come somewhere, by the id of the node. */
export type Route = ReadonlyMap<string, ReadonlySet<string>>;

/** Maximum number of ways that are compared, each with all others. */
export const MAX_WAYS = 100;

/** Returns true if no run comes by two of several ways. There are `MAX_WAYS` at most. */
export function areExclusive(ways: readonly { readonly route: Route }[]): boolean {
  return ways.every((one, n) => ways.slice(n + 1).every((other) => isEither(one.route, other.route)));
}

/** Returns true if no run comes both ways. */
function isEither(one: Route, other: Route): boolean {
  for (const [id, handles] of one) if (isDisjoint(other.get(id) ?? handles, handles)) return true;
  return false;
}

/** Returns whether two sets have no element in common. */
function isDisjoint(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const each of one) if (other.has(each)) return false;
  return true;
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
