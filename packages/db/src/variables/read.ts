import type { JsonObject } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** Returns the variables of a workspace as expressions see them: name → value. */
export async function readVariables(db: Database, workspaceId: string): Promise<JsonObject> {
  const variables = await db.variable.findMany({ where: { workspaceId }, select: { name: true, value: true } });
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}
