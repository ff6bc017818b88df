import Type, { type Static } from 'typebox';
import { AnyObject, CLOSED, Id, nullable, oneOf, pageQuery, Time } from './common.ts';
import { CONNECTOR_NAME, CONNECTOR_VERSION, FieldOptions, PackCredential } from './connector-packs.ts';
import { NODE_ICONS } from './node-types.ts';

const Text = (description: string) => Type.String({ minLength: 1, description });

/** A pack and its document, or a document alone with the name and the version of its connector. */
export const CreateConnectorBody = Type.Object(
  {
    workspaceId: Id,
    document: Text('An OpenAPI 3 or Swagger 2 document, in JSON or YAML'),
    pack: Type.Optional(Text('Its `pack.yaml`; without one, the connector has all operations of the document')),
    name: Type.Optional(Type.String({ pattern: CONNECTOR_NAME, description: 'Without a pack: its name' })),
    version: Type.Optional(Type.String({ pattern: CONNECTOR_VERSION, description: 'Without a pack: its version' })),
  },
  CLOSED,
);
export type CreateConnectorBody = Static<typeof CreateConnectorBody>;

/** The query of lists of connectors. */
export const ConnectorsQuery = Type.Object({ workspaceId: Id, ...pageQuery() });
/** The query of one connector. */
export const ConnectorQuery = Type.Object({ workspaceId: Id });

/** What lists show of a connector. */
export const ConnectorSummary = Type.Object({
  title: Type.String(),
  description: nullable(Type.String()),
  icon: nullable(oneOf(NODE_ICONS)),
  credentials: Type.Array(PackCredential, { description: 'The credentials that it takes; empty for any of requests' }),
  operationCount: Type.Integer(),
});
export type ConnectorSummary = Static<typeof ConnectorSummary>;

/** A version of a connector. */
export const ConnectorEntry = Type.Object({
  name: Type.String(),
  version: Type.String(),
  isBuiltIn: Type.Boolean({ description: 'Whether every workspace has it' }),
  ...ConnectorSummary.properties,
  createdAt: nullable(Time, { description: 'null for a built-in one' }),
});
export type ConnectorEntry = Static<typeof ConnectorEntry>;

/** What lists show of an operation. */
export const OperationEntry = Type.Object({
  id: Type.String({ description: 'As definitions name it: `issue.create`' }),
  title: Type.String(),
  description: nullable(Type.String()),
  hasPages: Type.Boolean(),
});
export type OperationEntry = Static<typeof OperationEntry>;

/** An operation, and the form of its values. */
export const OperationDetails = Type.Object({
  connector: Type.String(),
  version: Type.String(),
  ...OperationEntry.properties,
  method: Type.String(),
  schema: Type.Unsafe<Static<typeof AnyObject>>({ ...AnyObject, description: 'JSON Schema of its values, by place' }),
  response: nullable(AnyObject, { description: 'JSON Schema of the body of its response, if it is known' }),
  options: Type.Record(Type.String(), FieldOptions, { description: 'Where the choices of fields come from, by path' }),
  credentials: ConnectorSummary.properties.credentials,
});
export type OperationDetails = Static<typeof OperationDetails>;

/** The connector could be created. */
export const CheckedConnector = Type.Object({
  valid: Type.Literal(true),
  connector: ConnectorEntry,
  operations: Type.Array(OperationEntry),
});
export type CheckedConnector = Static<typeof CheckedConnector>;
