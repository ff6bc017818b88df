import Type, { type Static } from 'typebox';
import { AnyJson, AnyObject, CLOSED, Id, KnownPerson, nullable, Time } from './common.ts';
import { EdgeDefinition, MAX_EDGES, MAX_NODES, NodeDefinition, Notes } from './definition.ts';
import { Warnings } from './workflows.ts';

const Anything = Type.Optional(AnyJson);
const { id, type, name, position } = NodeDefinition.properties;

/** A node of a draft: a canvas can draw it; everything else is only checked when a version is saved. */
export const DraftNode = Type.Object(
  {
    id,
    type,
    name,
    position,
    parameters: Type.Optional(AnyObject),
    disabled: Anything,
    retry: Anything,
    timeoutSeconds: Anything,
    onInterrupt: Anything,
    onError: Anything,
    mock: Anything,
    credentialId: Anything,
  },
  CLOSED,
);

/** A definition that need not be valid. */
export const DraftDefinition = Type.Object(
  {
    nodes: Type.Array(DraftNode, { maxItems: MAX_NODES }),
    edges: Type.Array(EdgeDefinition, { maxItems: MAX_EDGES }),
    settings: Type.Optional(AnyObject),
    notes: Type.Optional(Notes),
  },
  CLOSED,
);

/**
 * The placeholder for a secret that was entered into a draft. It is never taken for the secret of the latest version:
 * a version with it is refused rather than saved with an earlier secret or without one.
 */
export const SECRET_OF_DRAFT = '******** (enter it again)';

const BaseVersion = nullable(Id, { description: 'The version that the changes started from; null for none' });

export const SaveDraftBody = Type.Object(
  { definition: DraftDefinition, baseVersionId: Type.Optional(BaseVersion) },
  CLOSED,
);

const DraftFields = {
  baseVersionId: BaseVersion,
  updatedAt: Time,
  updatedBy: nullable(Id),
  updatedByUser: KnownPerson,
};

const DraftWarnings = {
  ...Warnings,
  description: 'Those that a version would have; none while the definition cannot be saved as one',
};

/** A saved draft, without its definition. */
export const SavedDraft = Type.Object({ ...DraftFields, warnings: DraftWarnings });

/** The unsaved changes of a workflow. */
export const Draft = Type.Object({ ...SavedDraft.properties, definition: DraftDefinition });

export type DraftDefinition = Static<typeof DraftDefinition>;
export type SaveDraftBody = Static<typeof SaveDraftBody>;
export type SavedDraft = Static<typeof SavedDraft>;
export type Draft = Static<typeof Draft>;
