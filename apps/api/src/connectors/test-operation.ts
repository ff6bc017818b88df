import { isJsonObject, parseOwnJson } from '@deckhand/contracts';
import { type Database, readConnectorHead } from '@deckhand/db';
import type { BuiltInConnectors } from '@deckhand/nodes';

/** Returns the id of the harmless operation that a connector names for tests; undefined without one. */
export type TestOperationFinder = (
  workspaceId: string,
  connector: { readonly name: string; readonly version: string },
) => Promise<string | undefined>;

/** Creates the finder. A connector of the workspace comes before a built-in one of the same name. */
export function createTestOperationFinder(db: Database, builtIn: BuiltInConnectors): TestOperationFinder {
  return async (workspaceId, connector) => {
    const own = await readConnectorHead(db, workspaceId, connector);
    if (own !== undefined) {
      const head = parseOwnJson<unknown>(own);
      return isJsonObject(head) && typeof head.test === 'string' ? head.test : undefined;
    }
    const { name, version } = connector;
    return (await builtIn.list()).find((pack) => pack.name === name && pack.version === version)?.test;
  };
}
