import type { JsonObject } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** A workspace's variables as nodes see them: name → value. */
export async function readVariables(db: Database, workspaceId: string): Promise<JsonObject> {
  const variables = await db.variable.findMany({ where: { workspaceId }, select: { name: true, value: true } });
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}
