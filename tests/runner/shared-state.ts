/** What all test files of a process see, by its name: values, and the functions that compute them. */
export type SharedState = ReadonlyMap<string, unknown>;

/** Reads the members of the global object, of the prototypes of its classes, and of the environment. */
export function readSharedState(): SharedState {
  return new Map(membersOfAll());
}

/** Returns the names of what is not as it was: the next file of the process would see it. Additions do not count. */
export function findChanges(before: SharedState): string[] {
  const now = readSharedState();
  return [...before].filter(([name, value]) => !Object.is(now.get(name), value)).map(([name]) => name);
}

function* membersOfAll(): Generator<[string, unknown]> {
  yield* membersOf('process.env', process.env);
  yield* membersOf('globalThis', globalThis);
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
    const prototype: unknown = typeof value === 'function' ? value.prototype : undefined;
    if (typeof prototype === 'object' && prototype !== null) yield* membersOf(`${name}.prototype`, prototype);
  }
}

function* membersOf(owner: string, object: object): Generator<[string, unknown]> {
  for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    const member: unknown = get ?? value;
    yield [`${owner}.${name}`, member];
  }
}
