import Type, { type Static } from 'typebox';
import { isJsonObject, type JsonObject } from '../json.ts';
import { AnyObject, nullable, oneOf } from './common.ts';
import { CREDENTIAL_TYPES } from './credential-secrets.ts';

/** What a container does with the nodes after its output `body`: a loop repeats them, a try catches their failures. */
export const CONTAINERS = ['loop', 'try'] as const;
export type Container = (typeof CONTAINERS)[number];

/** How the outputs of a node follow from one of its parameters. */
const HandlesBy = Type.Object({
  parameter: Type.String({ description: 'The parameter, which is a list' }),
  member: nullable(Type.String(), {
    description: 'The member with the name of the output, in a list of objects; null in a list of names',
  }),
  fixed: Type.Array(Type.String(), { description: 'The outputs after them' }),
});
export type HandlesBy = Static<typeof HandlesBy>;

/** A node type as GET /api/node-types lists it, for forms and agents. */
export const NodeTypeEntry = Type.Object({
  type: Type.String(),
  title: Type.String(),
  description: Type.String(),
  keywords: Type.Array(Type.String(), { description: 'Words to search it by, beside those of its title' }),
  category: Type.String(),
  hasEffects: Type.Boolean({ description: 'Whether it has effects outside; it has none in sandbox mode' }),
  isTrigger: Type.Boolean(),
  handles: Type.Array(Type.String(), { description: 'Outputs that edges can name' }),
  handlesBy: nullable(HandlesBy, {
    description: 'The parameter that replaces `handles` by its own names where it is a list; null if none does',
  }),
  undecidedHandle: nullable(Type.String(), {
    description:
      'The output that a node with several takes while it is disabled, or after an error with `onError: "continue"`; null if it takes none',
  }),
  container: nullable(oneOf(CONTAINERS), {
    description:
      'What it does with the nodes after its output `body`: `loop` repeats them, `try` catches their failures. null if it contains none',
  }),
  credentialTypes: Type.Array(oneOf(CREDENTIAL_TYPES), {
    description: 'Types of credentials that `credentialId` may name; empty if it uses no credential',
  }),
  parameters: Type.Unsafe<JsonObject>({ ...AnyObject, description: 'A JSON Schema' }),
});

export type NodeTypeEntry = Static<typeof NodeTypeEntry>;

/** Returns the named outputs of a node with these parameters, each once; empty for a single one without a name. */
export function handlesFor(
  { handles, handlesBy }: { readonly handles: readonly string[]; readonly handlesBy: HandlesBy | null },
  parameters: JsonObject,
): readonly string[] {
  const given: unknown = handlesBy && parameters[handlesBy.parameter];
  if (!handlesBy || !Array.isArray(given)) return handles;
  const list: readonly unknown[] = given;
  const { member, fixed } = handlesBy;
  const names = list.flatMap((element): string[] => {
    const name = member === null ? element : isJsonObject(element) ? element[member] : undefined;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
  return [...new Set([...names, ...fixed])];
}
