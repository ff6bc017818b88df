import {
  compileUntrusted,
  type Definition,
  type InputSchema,
  type InputSchemas,
  isJsonObject,
  type JsonValue,
  type ValidationIssue,
} from '@deckhand/contracts';

/** Maximum length of a schema, as JSON. Lists of tools contain it. */
const MAX_SCHEMA_CHARS = 32_768;

/** Returns the schemas that the triggers of a definition enforce. Each was accepted by `findSchemaIssues`. */
export function findInputSchemas({ nodes }: Pick<Definition, 'nodes'>): InputSchemas {
  return Object.fromEntries(
    nodes.flatMap(({ id, type, parameters = {} }): [string, InputSchema][] => {
      const { inputSchema, enforceInputSchema, bodySchema, schema } = parameters;
      if (type === 'trigger.manual' && isJsonObject(inputSchema) && enforceInputSchema !== false)
        return [[id, { schema: { type: 'object', ...inputSchema } }]];
      if (type === 'trigger.webhook' && isJsonObject(bodySchema)) return [[id, { schema: bodySchema, member: 'body' }]];
      if (type === 'trigger.form' && isJsonObject(schema)) return [[id, { schema }]];
      return [];
    }),
  );
}

/** Returns why a parameter cannot be used as a schema: it is too long, or cannot be compiled. */
export function findSchemaIssues(path: string, schema: JsonValue | undefined): ValidationIssue[] {
  if (!isJsonObject(schema)) return [];
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS)
    return [{ path, message: `has more than ${MAX_SCHEMA_CHARS.toLocaleString('en')} characters` }];
  const compiled = compileUntrusted(schema);
  return 'issues' in compiled ? compiled.issues.map(({ message }) => ({ path, message })) : [];
}
