import { isJsonObject, type JsonObject } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';

/** Secret parameters of nodes: node id → parameter → JWE. */
export type SealedSecrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reads the secrets of a workflow's latest version; none if there is no version, or none that the actor may see. */
export async function readSealedSecrets(db: Database, actor: Actor, workflowId: string): Promise<SealedSecrets> {
  const row = await db.workflow.findFirst({
    where: { id: workflowId, workspace: visibleWorkspace(actor) },
    select: { latestVersion: { select: { sealedSecrets: true } } },
  });
  const stored: unknown = row?.latestVersion?.sealedSecrets;
  return isJsonObject(stored) ? mapValues(stored) : {};
}

function mapValues(stored: JsonObject): SealedSecrets {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([nodeId, secrets]) => {
      if (!isJsonObject(secrets)) return [];
      const texts = Object.entries(secrets).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
      return [[nodeId, Object.fromEntries(texts)]];
    }),
  );
}
